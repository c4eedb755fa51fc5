#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# A port drops what comes when it has no room for it. So DREQs do not leave all together, and
# one that is lost is sent again, as often as the CM does that: the end of an interface tells
# all of its peers.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Three quarters of CM_MAX_UNANSWERED are for an interface that is alone, see port.c
most=48
# More connections may not lead to one port.
count=128

# ask N OPTION...: so many peers
ask()
{
	cmpeer forget && ask_in_turn 16 "$1" 0x1000 transport=uc "${@:2}" &&
		eventually peers_are "$1" state=established && eventually has_connections 1 "$1"
}

# paced START: until all peers have had a DREQ, no more have than may be unanswered, and as
# many more with each second, when those are given up. Who looks later sees no more than that
paced()
{
	local told=0 seconds

	while [ "$told" -lt $count ]; do
		told=$(count_peers state=ended) || return
		seconds=$(((${EPOCHREALTIME/./} - $1) / 1000000))
		echo "$told after $seconds s"
		[ "$told" -le $((most * (1 + seconds))) ] && [ $seconds -lt "$minute" ] ||
			return
		nap
	done
}

plan 4
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup in_ns "$h1" ethtool -L ib0 other $((4 * count))
setup eventually is_up "$h1"

setup ask 1
setup ib_knob mad_rules "class=7 attr=${cm_attr[dreq]} times=5 drop"
setup ip -n "$h1" link set ib0 down
check "a peer is told by the sixth DREQ" eventually peers_are 1 state=ended came=dreq
setup ib_knob mad_rules ""

setup ip -n "$h1" link set ib0 up
setup eventually is_up "$h1"
# They do not answer.
setup ask $count mute=1
start=${EPOCHREALTIME/./}
setup ip -n "$h1" link set ib0 down
check "$count DREQs do not leave together" paced "$start"
check "all peers are told" eventually peers_are $count state=ended came=dreq
check "no connection is left" eventually nothing_of conn
