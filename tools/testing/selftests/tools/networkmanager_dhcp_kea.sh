#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager has from kea, by way of a relay, the address that is reserved there for the GUID
# of the port, renews the lease without the relay, and has the same address when it comes again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs NetworkManager nmcli dbus-daemon dnsmasq kea-dhcp4
plan 7
ib_fabric 3
port 1
setup host 2 3
machine 1 2 3
dhcp_relay 2 10.0.0.3
relay=$job
guid=$(lladdr "$h1" | cut -d : -f 13-)
kea_server 3 '{ "client-id": "20:'"$guid"'", "ip-address": "10.0.0.40" }'
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
check "with the address of the port" has_address 1 10.0.0.40/24
check "by the GUID, and no link address" leased 3 "10.0.0.40,,20:$guid,"
setup on 1 nmcli connection down ib0
check "once more" on 1 nmcli connection up ib0
check "it has the same address" has_address 1 10.0.0.40/24
check "the server is reached" reaches 1 10.0.0.3
setup end_job "$relay"
check "the lease is renewed without the relay" eventually \
	renewed 3 10.0.0.40 "$(lease_lines 3 10.0.0.40)"
