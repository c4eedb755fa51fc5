#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: few kernels can have allocations fail
#
# There is no memory when a router is to get the reports of the subnet administrator. That is
# not taken for a program that has them, and so is not looked at again after a minute only:
# when there is memory a report tells the router of a new group.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"

log_has()
{
	kernel_log | grep -E "$rdma1: port 1: $1"
}

# has_none: the router, of reports, for want of memory
has_none()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up
	nap
	# A kernel without names of errors has their numbers.
	log_has "no reports of the subnet administrator yet: (-ENOMEM|-12)"
}

# within_a_minute: of the last failure there were reports, by the kernel's clock. An interface
# that lacks memory may lose its link and begin anew
within_a_minute()
{
	sed -n "s/.* \([0-9]*\)\.[0-9]*: ipoib_sa_state: ibdev=$rdma1 port=1 /\1 /p" \
		$tracing/trace | tee "$tmp/states"
	awk '/-> polling/ { failed = $1; n++ }
		/polling -> off/ { failed = 0 }
		/polling -> subscribing/ { late += failed && $1 - failed > 55 }
		END { exit !(n && !late) }' "$tmp/states"
}

needs_fail_nth
plan 4
can_be_scarce
ib_hosts 2
setup ip -n "$h1" link set ib0 allmulticast on
defer sh -c "echo 0 > $tracing/events/ipoib/ipoib_sa_state/enable"
setup sh -c "echo > $tracing/trace; echo 1 > $tracing/events/ipoib/ipoib_sa_state/enable"
setup scarce work 30
check "without memory there are no reports" eventually has_none
setup plenty 1
setup eventually is_up "$h1"
background ip netns exec "$h2" socat -u \
	UDP4-RECV:5001,ip-add-membership=239.1.2.1:ib0 /dev/null
check "with memory there are" eventually joined "$rdma1" ff12:401b:ffff::f01:201 nonmember
check "they were asked for soon" within_a_minute
check "and nobody else is said to have them" not log_has "reports .* go to somebody else"
