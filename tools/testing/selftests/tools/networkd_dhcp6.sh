#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd takes a lease of an IPv6 address from dnsmasq or kea, by a DUID that comes from
# the machine, after radvd has said that there is a server, and has the same address when it comes
# again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs /usr/lib/systemd/systemd-networkd dnsmasq kea-dhcp6 radvd
plan 12
ib_fabric 2
port 1
setup host 2
machine 1 2
router 2
config 1 /etc/systemd/network/ib0.network <<- END
	[Match]
	Name=ib0

	[Network]
	DHCP=ipv6
END
for server in dhcp6 kea6; do
	setup on 2 rm -f /run/leases
	"${server}_server" 2
	serves=$job
	networkd 1
	first=$job
	check "$server: it is configured" eventually configured 1 ib0
	check "$server: with an address of the server's" eventually has_address 1 fd00::5
	address=$(ip -n "$h1" -6 -o addr show dev ib0 scope global | awk '{ print $4 }')
	address=${address%/*}
	check "$server: who has the DUID" leased 2 00:02:00:00:ab:11:
	check "$server: the server is reached" reaches 1 fd00::2 -I "$address"
	setup end_job "$first"
	setup ip -n "$h1" addr flush dev ib0
	setup ip -n "$h1" link set ib0 down
	networkd 1
	check "$server: once more" eventually configured 1 ib0
	check "$server: it has the same address" eventually has_address 1 "$address/128"
	setup end_job "$job"
	setup end_job "$serves"
	setup ip -n "$h1" addr flush dev ib0
	setup ip -n "$h1" link set ib0 down
done
