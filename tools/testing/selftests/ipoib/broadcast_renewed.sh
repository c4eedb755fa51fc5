#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A subnet manager comes back with another MTU and rate of the broadcast group. All groups that
# hosts are in are made anew with these, RFC 4391 section 5: others could not join them else.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all_alike: the SA has the group, and all that there are with that MTU and that rate
all_alike()
{
	saquery -t 5000 --smkey 1 -g > "$tmp/sa" || return
	grep -E 'MGID|Mtu|Rate' "$tmp/sa"
	grep -q f01:203 "$tmp/sa" &&
		[ "$(sed -n 's/.*\(Mtu\|Rate\)\.*//p' "$tmp/sa" | sort -u)" = $'0x83\n0x84' ]
}

mtu_is()
{
	ip -n "$1" link show dev ib0 | grep " mtu $2 "
}

plan 5
ib_hosts 3
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup join_group 2
setup eventually is_member "$rdma2" ff12:401b:ffff::f01:203
setup kill_sm sm1
partitions='Default=0x7fff, ipoib, mtu=4, rate=3 : ALL=full, SELF=full;'
setup start_sm sm1
check "the MTU of the link" eventually mtu_is "$h2" 2044
check "all groups have what the broadcast group has" eventually all_alike
setup join_group 3
check "so another host can join" eventually is_member "$rdma3" ff12:401b:ffff::f01:203
check "it hears what comes" eventually group_hears 3 1
check "and so does who was there before" eventually group_hears 2 1
