#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# After a failure a node is asked again a second later, then after two, after four: also
# if it had answered, and what it said did not last. A connection that was good, and then
# broke, is made again at once. Ports have two LIDs each: who says that there is no room is
# not asked again at once for a connection without an alternate path.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# pauses: milliseconds between the end of each connection and the next request
pauses()
{
	sed -n "s/.* \([0-9]*\)\.\([0-9]\{3\}\)[0-9]*: ipoib_conn_state: .* -> /\1\2 /p" \
		$tracing/trace |
		awk '$2 == "draining" { end = $1 }
			$2 == "resolving" && end { print $1 - end; end = 0 }'
}

# pause_is N FROM TO: the Nth of them, milliseconds
pause_is()
{
	local ms

	pauses
	ms=$(pauses | sed -n "$1p")
	[ "${ms:-none}" -ge "$2" ] && [ "$ms" -lt "$3" ]
}

# asks: WORD... become true of a request; if they are not, after another packet
asks()
{
	peers_are "$@" || { send_udp "$h1" 10.0.0.77 9 1 && peers_are "$@"; }
}

# lives MS: for so long
lives()
{
	local age

	send_udp "$h1" 10.0.0.77 9 1 && find_connections 1 state=established &&
		[[ ${found[0]-} =~ age_ms=([0-9]+) ]] && age=${BASH_REMATCH[1]} &&
		[ "$age" -gt "$1" ]
}

# ends QPN: who sends notices that it is broken
ends()
{
	send_udp "$h1" 10.0.0.77 9 1 && not has_connection 1 "$1"
}

# breaks: the queue pair has an error here, which soft-RoCE cannot be told to; and some
# time later there is another one
breaks()
{
	local qpn

	qpn=$(qpn_of 1) && ib_knob "$rdma1/qp_error" "${qpn#*=}" &&
		eventually ends "$qpn" &&
		eventually asks 1 asked_by=other state=established && eventually lives 0
}

# A quarter of each pause is left to chance, and who is slow comes later still.
ever=100000

plan 5
# shellcheck disable=SC2034 # for the subnet manager
lmc=1
two_hosts
setup cm_peers
setup sh -c "echo > $tracing/trace"
setup sh -c "echo 1 > $tracing/events/ipoib/ipoib_conn_state/enable"
defer sh -c "echo 0 > $tracing/events/ipoib/ipoib_conn_state/enable"
setup connected rc 1
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
setup cmpeer listen "dev=$rdma2" qpn=0x100 answer=rej:3
setup eventually asks 2 asked_by=other state=refused
setup cmpeer forget
setup cmpeer listen "dev=$rdma2" qpn=0x100
setup eventually asks 1 asked_by=other state=established
setup eventually lives 0
# At once, for what has lived for ten seconds is good.
setup breaks
check "refused: asked again after a second" pause_is 1 740 "$ever"
check "refused again: after two" pause_is 2 1490 "$ever"
check "broken soon: after four" pause_is 3 2990 "$ever"
setup eventually lives 10500
check "it lasts, and breaks" breaks
# Otherwise after eight.
check "then it is made again at once" pause_is 4 0 5990
