#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: not locks, for it ends DMA_API_DEBUG when there is no memory for that
#
# A multicast router has no memory for some of the groups that the subnet administrator lists.
# It hears those, too, when there is memory again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"

groups=40

# has_groups: host 2, one for each address
has_groups()
{
	seq -f 'addr add fd00::2:%.0f/64 dev ib0 nodad' 10 $((groups + 9)) > "$tmp/addresses"
	ip -n "$h2" -batch "$tmp/addresses" && eventually are_groups_of 2 member
}

# groups_of N MEMBERSHIP: how many of these it has
groups_of()
{
	local rdma=rdma$1

	grep -c "^ff12:601b:ffff::1:ff02:.* state=joined .*\b$2\b" \
		"$debug/${!rdma}.1.ffff/groups"
}

are_groups_of()
{
	[ "$(groups_of "$@" | tee "$tmp/number")" -eq "${all-$groups}" ] || {
		cat "$tmp/number"
		return 1
	}
}

# hears_some: the administrator is asked until there was memory for a part of its answer
hears_some()
{
	local heard

	ip -n "$h1" link set ib0 allmulticast off &&
		all=0 eventually are_groups_of 1 nonmember &&
		ip -n "$h1" link set ib0 allmulticast on || return
	nap
	nap
	heard=$(groups_of 1 nonmember)
	echo "$heard of $groups"
	[ "$heard" -gt 0 ] && [ "$heard" -lt $groups ]
}

needs_fail_nth
plan 2
can_be_scarce
ib_hosts 2
setup has_groups
setup scarce interrupts 30
check "there is memory for some groups" eventually hears_some
setup plenty 1
check "and later for all" eventually are_groups_of 1 nonmember
