#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# However many groups are sent to, the table of groups has a limit, and who
# needs a group gets it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

send_to_groups()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo > "/dev/udp/239.1.$((i / 200)).$((i % 200))/9"
	done
}

groups()
{
	counter "$h1" groups
}

groups_at_most()
{
	[ "$(groups)" -le "$1" ]
}

plan 6
two_hosts
limit=$(status "$rdma1" send_group_limit)
must "there is a limit" [ "${limit:-0}" -gt 0 ]
members=$(groups)
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
export -f send_to_groups
setup in_ns "$h1" bash -c "send_to_groups $((limit + 200))"
note "$(groups) groups, limit $limit"
check "many are kept" [ "$(groups)" -gt $((limit / 2)) ]
check "not too many" groups_at_most $((limit + members))
check "there is room again" eventually groups_at_most $((limit - 1 + members))
# The subnet manager may still be busy with all those groups.
check "neighbours are still found by broadcast" \
	eventually ping_all "$h1" 10.0.0.2 -w 2
check "and by multicast" eventually ping_all "$h1" fd00::2 -w 2
