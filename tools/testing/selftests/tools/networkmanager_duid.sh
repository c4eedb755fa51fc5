#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What NetworkManager is to a DHCPv6 server: by default a UUID that comes from the machine; if told
# so, the GUID of the port, of type 32.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# known_by DUID [TYPE]: with that dhcp-duid it has a lease by that
known_by()
{
	on 1 nmcli connection modify ib0 ipv6.dhcp-duid "${2-}" &&
		on 1 nmcli connection up ib0 &&
		eventually leased 2 "$1" && eventually has_address 1 fd00::5 &&
		on 1 nmcli connection down ib0
}

needs NetworkManager nmcli dbus-daemon dnsmasq radvd
plan 3
ib_fabric 2
port 1
setup host 2
machine 1 2
router 2
dhcp6_server 2
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
END
network_manager 1
guid=$(lladdr "$h1" | cut -d : -f 13-)
check "by default" known_by " 00:04:"
check "DUID-LL" known_by " 00:03:00:20:$guid" ll
check "DUID-LLT" known_by " 00:01:00:20:..:..:..:..:$guid" llt
