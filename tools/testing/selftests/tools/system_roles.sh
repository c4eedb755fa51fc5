#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The test of InfiniBand of Linux system roles, tests/playbooks/tests_infiniband.yml of the role
# "network", by what that asks of NetworkManager: a connection of the port, which comes up when it
# likes, and a child with P_Key 10, without bit 15, that has addresses. Both are taken away again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# add NAME [PROPERTY VALUE...]: a connection
add()
{
	on 1 nmcli connection add type infiniband con-name "$1" autoconnect yes \
		transport-mode datagram "${@:2}"
}

# away NAME: it is down, and there is no such connection any more
away()
{
	on 1 nmcli connection down "$1" && on 1 nmcli connection delete "$1"
}

needs NetworkManager nmcli dbus-daemon
plan 8
partitions+=${red/red=0x0001/ten=0x000a}
ib_fabric 2
port 1
setup host 2
setup child 2 0x800a
setup ip -n "$h2" link set ib0.800a up
setup ip -n "$h2" addr add 198.51.100.134/30 dev ib0.800a
setup ip -n "$h2" addr add 2001:db8::1/32 dev ib0.800a
machine 1
network_manager 1
check "a connection of the port" add ib0 ifname ib0
check "one of a child" add ib0-10 infiniband.parent ib0 infiniband.p-key 10 \
	ip4 198.51.100.133/30 ip6 2001:db8::2/32 ifname '*'
check "comes up" on 1 nmcli connection up ib0-10
check "it is there" link_is 1 ib0.000a "ipoib pkey 0x800a mode datagram"
check "IPv4" reaches 1 198.51.100.134
check "IPv6" reaches 1 2001:db8::1
check "they are taken away" away ib0-10
check "the child is gone" eventually not link_is 1 ib0.000a .
