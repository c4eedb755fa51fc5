#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The broadcast group alone is another one than before, all other groups are what they were. Hosts
# hear that it was deleted, and ask: what they send, to nodes and to all, goes on with what the
# subnet administrator says of it then, be that another LID, or the same one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mgid=ff12:401b:ffff::ffff:ffff other=ff12:401b:ffff::f01:203

# said OFFSET OCTETS: in what the administrator says of the group, whose record begins at 56. The
# switch knows ways to the groups of OpenSM, so it is one of their LIDs that the group gets
said()
{
	ib_knob mad_rules '' && ib_knob mad_rules "class=3 method=0x81 attr=0x38 match=56:$(
		)ff12401bffff000000000000ffffffff set=$1:$2"
}

# deleted: both hosts are told
deleted()
{
	report "$rdma1" 1 67 ff12401bffff000000000000ffffffff &&
		report "$rdma1" 2 67 ff12401bffff000000000000ffffffff
}

# mlid RDMADEV MGID
mlid()
{
	sed -n "s/^$2 .* mlid=\(0x[^ ]*\).*/\1/p" "$debug/$1.1.ffff/groups"
}

# sends_to MGID LID RATE: the handles that host 1 has for the group
sends_to()
{
	grep "dgid $1 " "$ibdevsim/$rdma1/ahs"
	[ "$(sed -n "s/^ipoib dlid \([0-9]*\) .* rate \([0-9]*\) dgid $1 .*/\1 \2/p" \
		"$ibdevsim/$rdma1/ahs" | sort -u)" = "$(($2)) $3" ]
}

mtus_are()
{
	ip -n "$h1" link show ib0 | grep " mtu $1 " && ip -n "$h2" link show ib0 | grep " mtu $1 "
}

# all_answer: a broadcast reaches host 2
all_answer()
{
	in_ns "$h1" ping -b -c 3 -i 0.2 -w 2 10.0.0.255 | grep 'from 10.0.0.2: '
}

plan 11
ib_hosts 3
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup in_ns "$h2" sysctl -q net.ipv4.icmp_echo_ignore_broadcasts=0
# Host 3 is told of nothing, and keeps the group for those who join it anew.
for n in 1 2 3; do
	rdma=rdma$n
	setup join_group $n
	setup eventually is_member "${!rdma}" $other
done
setup eventually forwards $other "$rdma1" "$rdma2"
setup ping_all "$h1" 10.0.0.2
setup all_answer
setup group_hears 2 1
before=$(mlid "$rdma1" $mgid) another=$(mlid "$rdma1" $other)
setup sends_to $mgid "$before" 7
setup steady "$h1" 10.0.0.2
setup said 98 83
setup deleted
check "another rate: packets to all have it" eventually sends_to $mgid "$before" 3
check "they arrive" eventually all_answer
# LID, MTU, traffic class, P_Key, rate
setup said 92 "${another#0x}8400ffff83"
setup deleted
check "another LID: packets to all have it" eventually sends_to $mgid "$another" 3
check "and another MTU: it is that of the link" eventually mtus_are 2044
check "they arrive" eventually all_answer
check "of that length" ping_all "$h1" 10.0.0.2 -M "do" -s 2016
check "who is new is found" eventually ping_all "$h1" fd00::2 -w 2
check "no packet was lost meanwhile" none_lost
check "who is in the other group is that again" eventually is_member "$rdma2" $other
check "it is what it was" sends_to $other "$another" 7
check "and is heard" eventually group_hears 2 1
