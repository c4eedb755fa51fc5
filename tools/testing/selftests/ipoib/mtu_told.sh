#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Datagram mode, and a route with a larger MTU than the link has: what is too long is cut
# if it may be, or its sender is told what would go.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# told ADDRESS: host 1 is, by ICMP
told()
{
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 -s 3000 -M "do" "$1" 2>&1 | tee -a /dev/stderr |
		grep -E "^From .*(Frag needed|Packet too big).*mtu ?= ?2044"
}

plan 6
partitions=${partitions/mtu=5/mtu=4} mtu=2200
two_hosts
setup ip -n "$h1" route add 10.0.0.2 dev ib0 mtu 4092
setup ip -n "$h1" route add fd00::2 dev ib0 mtu 4092
setup ip -n "$h2" route add 10.0.0.1 dev ib0 mtu 4092
setup ip -n "$h1" route add 224.0.0.0/4 dev ib0 mtu 4092
check "a group, in fragments" eventually \
	ping_all "$h1" 224.0.0.1 -s 3000 -M dont -I ib0 -L
check "what may be cut, the first one, too" ping_all "$h1" 10.0.0.2 -s 3000 -M dont
setup ip -n "$h1" route flush cache
check "what may not: the sender is told" told 10.0.0.2
check "IPv6: the sender is told" told fd00::2
check "and cuts it" ping_all "$h1" fd00::2 -s 3000
check "TCP" transfer "$h2" "$h1" 10.0.0.1 "$(much 4M)"
