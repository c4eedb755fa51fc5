#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What an interface, its groups, its destinations and, on InfiniBand, its subscription
# to reports go through is traced.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# changes EVENT WORDS: all that there were, in this order
changes()
{
	sed -n "s/.* ipoib_$1: $2 //p" $tracing/trace | paste -sd ,
}

# went EVENT WORDS CHANGES: these and no more
went()
{
	local is

	is=$(changes "$1" "$2")
	echo "$is"
	[ "$is" = "$3" ]
}

# began EVENT WORDS CHANGES: these, and then maybe more
began()
{
	local is

	is=$(changes "$1" "$2")
	echo "$is"
	[[ $is == "$3"* ]]
}

# unsubscribed: which nobody waits for
unsubscribed()
{
	grep "ipoib_sa_state: ibdev=$rdma1 port=1 .* -> off" $tracing/trace
}

if on_ib; then plan 6; else plan 5; fi
two_hosts
events=$tracing/events/ipoib
defer sh -c "echo 0 > $events/enable"
broadcast=$(status "$rdma1" broadcast)
peer=$(status "$rdma2" gid)
setup sh -c "echo > $tracing/trace; echo 1 > $events/enable"
setup ip -n "$h1" link set ib0 down
check "an interface goes down" eventually \
	went dev_state dev=ib0 "up -> down"
check "its group goes" eventually \
	went mcast_state "dev=ib0 gid=$broadcast" "joined -> dead"
! on_ib || setup eventually unsubscribed
setup sh -c "echo > $tracing/trace"
setup ip -n "$h1" link set ib0 up
setup eventually is_up "$h1"
check "it comes up" eventually went dev_state dev=ib0 \
	"down -> waiting,waiting -> joining,joining -> up"
check "and joins its group" went mcast_state "dev=ib0 gid=$broadcast" \
	"idle -> joining,joining -> joined"
! on_ib || check "it subscribes to reports" eventually went sa_state \
	"ibdev=$rdma1 port=1" "off -> subscribing,subscribing -> on"
setup forget_neighbours "$h1" dev ib0
setup ping_all "$h1" 10.0.0.2
# News of the subnet may have the path asked for again.
check "a destination is found" began peer_state "dev=ib0 gid=$peer" \
	"new -> resolving,resolving -> ready"
