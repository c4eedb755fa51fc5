#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# However many groups are sent to, the table of groups has a limit, and who
# needs a group gets it. Those go that nobody has sent to for longest.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

send_to_groups()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo > "/dev/udp/239.1.$((i / 200)).$((i % 200))/9"
		((i % 8)) || echo > /dev/udp/239.9.9.9/9
	done
	echo > /dev/udp/239.9.9.9/9
}

groups()
{
	counter "$h1" groups
}

groups_at_most()
{
	[ "$(groups)" -le "$1" ]
}

# has_group MGID
has_group()
{
	grep "^$1 " "$debug/$rdma1.1.ffff/groups"
}

plan 8
two_hosts
limit=$(status "$rdma1" send_group_limit)
must "there is a limit" [ "${limit:-0}" -gt 0 ]
members=$(groups)
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
# Groups that do not exist make room first: on InfiniBand this one does. On RoCE all do, and who was
# sent to lately stays.
background ip netns exec "$h2" socat -u UDP4-RECV:9,ip-add-membership=239.9.9.9:ib0 /dev/null
! on_ib || setup eventually is_member "$rdma2" ff12:401b:ffff::f09:909
export -f send_to_groups
setup in_ns "$h1" bash -c "send_to_groups $((limit + 200))"
note "$(groups) groups, limit $limit"
check "many are kept" [ "$(groups)" -gt $((limit / 2)) ]
check "not too many" groups_at_most $((limit + members))
check "there is room again" eventually groups_at_most $((limit - 1 + members))
check "those stay that were sent to lately" has_group ff12:401b:ffff::f09:909
check "and not the first" not has_group ff12:401b:ffff::f01:1
# The subnet manager may still be busy with all those groups.
check "neighbours are still found by broadcast" \
	eventually ping_all "$h1" 10.0.0.2 -w 2
check "and by multicast" eventually ping_all "$h1" fd00::2 -w 2
