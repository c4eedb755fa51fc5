#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager: a port's interface, with addresses and MTU, in either mode.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# modify PROPERTY VALUE...: of the connection, which is then activated anew
modify()
{
	on 1 nmcli connection modify ib0 "$@" && on 1 nmcli connection up ib0
}

needs NetworkManager nmcli dbus-daemon
plan 8
ib_fabric 2
port 1
setup host 2
setup mode connected 2
machine 1
connection 1 ib0 <<- END
	[connection]
	id=ib0
	type=infiniband
	interface-name=ib0

	[infiniband]
	transport-mode=datagram
	mtu=2044

	[ipv4]
	method=manual
	address1=10.0.0.1/24

	[ipv6]
	method=manual
	address1=fd00::1/64
END
network_manager 1
check "it is activated" eventually activated 1 ib0
check "MTU and mode are as told" link_is 1 ib0 "mtu 2044 "
check "IPv4" reaches 1 10.0.0.2
check "IPv6" reaches 1 fd00::2
check "connected mode" modify infiniband.transport-mode connected infiniband.mtu 65520
check "it is in that, and has the MTU" eventually link_is 1 ib0 "mode connected"
check "60000 octets" reaches 1 10.0.0.2 -s 60000 -i 1 -c 1
check "datagram mode again" modify infiniband.transport-mode datagram infiniband.mtu 0
