#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles
#
# A queue pair enters the error state: on soft-RoCE by a send that finds no route
# at all. The interface recovers it with its groups, and does not feed a dead queue.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# few_posts: since it broke no more buffers were posted than two rings have, of 256 each, which
# are posted by 16: those that failed, and new ones
few_posts()
{
	local now

	now=$(counter "$h1" rx0_posts)
	echo "$((now - before)) posts"
	[ $((now - before)) -le 32 ]
}

# idle: a second in which no receive is posted
idle()
{
	local posts polls

	posts=$(counter "$h1" rx0_posts) polls=$(counter "$h1" rx0_polls)
	sleep 1
	echo "$posts posts and $polls polls before"
	[ $(($(counter "$h1" rx0_posts) - posts)) -lt 20 ] &&
		[ $(($(counter "$h1" rx0_polls) - polls)) -lt 50 ]
}

# breaks qp_error|qp_fatal|no_route
breaks()
{
	if on_ib; then
		ib_knob "$rdma1/$1" $((0x$(lladdr "$h1" | cut -d: -f2-4 | tr -d :)))
	else
		ip -6 route del fe80::/64 dev "$eth1"
		in_ns "$h1" ping -q -c 20 -i 0.05 -W 1 10.0.0.2
	fi
}

recovers()
{
	grew "$h1" qp_recoveries "$recoveries"
}

# hears_broadcast: without a route it fails again and again, and hears nothing between
hears_broadcast()
{
	local before

	before=$(counter "$h1" rx0_multicast)
	in_ns "$h2" ping -q -b -c 5 -i 0.05 -W 1 10.0.0.255
	grew "$h1" rx0_multicast $((before + 4))
}

on_ib && ways=(qp_error qp_fatal) || ways=(no_route)
plan $((5 * ${#ways[@]} + 1))
two_hosts
setup ping_all "$h1" 10.0.0.2
for how in "${ways[@]}"; do
	recoveries=$(counter "$h1" qp_recoveries) before=$(counter "$h1" rx0_posts)
	breaks "$how"
	check "$how: the queue pair fails, and recovers" eventually recovers
	check "a dead queue was not fed" few_posts
	check "then all is calm" eventually idle
	check "broadcasts are still received" eventually hears_broadcast
	on_ib || setup ip -6 route add fe80::/64 dev "$eth1"
	check "the other host is reached again" \
		eventually ping_all "$h1" 10.0.0.2 -w 2
done
check "the broadcast group is still joined" \
	is_member "$rdma1" ff12:401b:ffff::ffff:ffff
