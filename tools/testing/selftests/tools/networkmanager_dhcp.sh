#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager takes a lease from dnsmasq, by a client identifier that has the GUID of the port,
# and has the same address when it comes again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs NetworkManager nmcli dbus-daemon dnsmasq
plan 6
ib_fabric 2
port 1
setup host 2
machine 1 2
dhcp_server 2
connection 1 ib0 <<- END
	[connection]
	id=ib0
	type=infiniband
	interface-name=ib0

	[infiniband]
	transport-mode=datagram

	[ipv4]
	method=auto
	dhcp-client-id=mac

	[ipv6]
	method=disabled
END
network_manager 1
check "it is activated" eventually activated 1 ib0
check "with an address of the server's" has_address 1 10.0.0.5
address=$(ip -n "$h1" -4 -o addr show dev ib0 | awk '{ print $4 }')
check "who has the GUID of the port" leased 2 "$(lladdr "$h1" | cut -d : -f 13-)"
check "the server is reached" reaches 1 10.0.0.2
setup on 1 nmcli connection down ib0
check "once more" on 1 nmcli connection up ib0
check "it has the same address" has_address 1 "$address"
