#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# What the subnet manager says of the broadcast group holds for the link, also when it
# says something else: Q_Key and MTU; service level, traffic class and flow label of
# packets to groups; and groups that have to be made are made like that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

qkeys_are()
{
	[[ $(status "$rdma1" qkey) = "$1" && $(status "$rdma2" qkey) = "$1" ]]
}

mtu_is()
{
	ip -n "$1" link show dev ib0 | grep " mtu $2 "
}

# all COLUMN VALUE: of all packets to the broadcast group and the other one
all()
{
	cat "$tmp/packets"
	[ "$(cut -f "$1" "$tmp/packets" | sort -u)" = "$2" ]
}

# made_like WORD...: the SA has the new group with these
made_like()
{
	local word

	saquery -t 5000 --smkey 1 -g > "$tmp/sa" || return
	sed -n '/f01:203/,/^MCMember/p' "$tmp/sa" > "$tmp/group"
	cat "$tmp/group"
	for word; do
		grep -i "$word" "$tmp/group" || return
	done
}

heard()
{
	send_udp "$h1" 239.1.2.3 5000 5
	grep . "$tmp/heard"
}

plan 11
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup kill_sm sm1
partitions='Default=0x7fff, ipoib, mtu=4, rate=3, sl=2, Q_Key=0x12345, TClass=32, FlowLabel=77 :
ALL=full, SELF=full;'
# It heeds service levels of partitions only with -Q.
setup start_sm sm1 -Q
check "another Q_Key" eventually qkeys_are 0x00012345
check "another MTU" eventually mtu_is "$h1" 2044
setup eventually is_up "$h1"
setup eventually is_up "$h2"
background ip netns exec "$h2" socat -u \
	UDP4-RECV:5000,ip-add-membership=239.1.2.3:ib0 "CREATE:$tmp/heard"
setup eventually is_member "$rdma2" ff12:401b:ffff::f01:203
check "the hosts talk" eventually ping_all "$h1" 10.0.0.2 -w 2
setup eventually heard
check "a new group is made with rate and MTU" eventually made_like 'rate.*0x83' 'mtu.*0x84'
setup capture "$h1"
setup heard
in_ns "$h1" ping -q -b -c 3 -i 0.2 10.0.0.255 > /dev/null 2>&1
decode 'infiniband.bth.destqp == 0xffffff && ip' infiniband.lrh.sl infiniband.grh.tclass \
	infiniband.grh.flowlabel infiniband.deth.q_key infiniband.grh.dgid > "$tmp/packets"
check "packets to groups: service level" all 1 2
check "traffic class" all 2 32
check "flow label" all 3 77
check "Q_Key" all 4 0x0000000000012345
check "to the broadcast group" grep ff12:401b:ffff::ffff:ffff "$tmp/packets"
check "to the new one" grep ff12:401b:ffff::f01:203 "$tmp/packets"
check "the other host hears that" grep . "$tmp/heard"
