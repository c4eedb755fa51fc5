#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# The MTU follows that of the Ethernet device, or of the broadcast group, down and
# up and under traffic.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# both LINK IPOIB: the interfaces follow
both()
{
	link_mtu "$1" &&
		eventually mtu_is "$h1" "$2" && eventually mtu_is "$h2" "$2"
}

mtu_is()
{
	ip -n "$1" link show dev ib0 | grep -q " mtu $2 "
}

plan 7
two_hosts
flood "$h1" 10.0.0.2
flood "$h2" 10.0.0.1 -s 3000
for round in 1 2; do
	check "2048 octets, round $round: 2044" both 2048 2044
	check "a packet that fills it" \
		eventually ping_all "$h1" 10.0.0.2 -s 2016 -M "do" -w 2
	check "4096 octets, round $round: 4092" both 4096 4092
done
check "a packet that fills it" \
	eventually ping_all "$h1" 10.0.0.2 -s 4064 -M "do" -w 2
