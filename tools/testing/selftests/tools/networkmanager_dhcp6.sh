#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager takes a lease of an IPv6 address from dnsmasq or kea, by a DUID that has the GUID
# of the port, after radvd has said that there is a server, and has the same address when it comes
# again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs NetworkManager nmcli dbus-daemon dnsmasq kea-dhcp6 radvd
plan 10
ib_fabric 2
port 1
setup host 2
machine 1 2
router 2
connection 1 ib0 <<- END
	[connection]
	id=ib0
	type=infiniband
	interface-name=ib0
	autoconnect=false

	[infiniband]
	transport-mode=datagram

	[ipv4]
	method=disabled

	[ipv6]
	method=auto
	dhcp-duid=ll
END
network_manager 1
for server in dhcp6 kea6; do
	setup on 2 rm -f /run/leases
	"${server}_server" 2
	check "$server: it is activated" on 1 nmcli connection up ib0
	check "$server: with an address of the server's" eventually has_address 1 fd00::5
	address=$(ip -n "$h1" -6 -o addr show dev ib0 scope global | awk '{ print $4 }')
	address=${address%/*}
	check "$server: who has the GUID of the port" \
		leased 2 "00:03:00:20:$(lladdr "$h1" | cut -d : -f 13-)"
	check "$server: the server is reached" reaches 1 fd00::2 -I "$address"
	setup on 1 nmcli connection down ib0
	setup on 1 nmcli connection up ib0
	check "$server: it has the same address" eventually has_address 1 "$address/128"
	setup on 1 nmcli connection down ib0
	setup end_job "$job"
done
