#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# An HCA refuses a call, once: whichever of those that a link, a group or a connection
# takes it is, the driver tries again, and nobody has to do anything.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused KNOB N COMMAND...: the Nth call from now is, and the command succeeds
refused()
{
	echo "call $2"
	ib_knob "$rdma2/$1" "$2" && "${@:3}" && [ "$(< "$ibdevsim/$rdma2/$1")" -eq 0 ]
}

goes_down_and_up()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up &&
		eventually is_up "$h2" && eventually ping_all "$h1" 10.0.0.2 -w 2
}

hears_group()
{
	ip -n "$h2" addr add fd00::77/64 dev ib0 &&
		eventually ping_all "$h1" fd00::77 -w 2
}

begins_anew()
{
	mode datagram 2 && eventually nothing_of conn && mode connected 2
}

sends_by_connection()
{
	eventually by_connection 2 3000 ping_each "$h2" 10.0.0.1 -w 2 -s 4000
}

connects()
{
	begins_anew && sends_by_connection
}

# sends_refused: not those that end the connection before, of which nobody would hear then
sends_refused()
{
	local n

	for n in 1 2 3; do
		begins_anew && refused fail_post_send $n sends_by_connection || return
	done
}

# each_refused KNOB COUNT COMMAND...: one after the other
each_refused()
{
	local n

	for ((n = 1; n <= $2; n++)); do
		refused "$1" $n "${@:3}" || return
	done
}

# made N: so many queue pairs at least, since there was the one with number $first
made()
{
	local next

	next=$(< "$ibdevsim/$rdma2/next_qpn") && [ -n "$next" ] || return "$cannot_tell"
	echo "$((next - first)) queue pairs"
	[ $((next - first)) -ge "$1" ]
}

# tries_anew: the interface does, with another queue pair, but not all the time: within two
# seconds, until the third ping of its own
tries_anew()
{
	local first

	first=$(< "$ibdevsim/$rdma2/next_qpn")
	eventually made 3 || return
	first=$(< "$ibdevsim/$rdma2/next_qpn")
	in_ns "$h1" ping -c 3 -q 10.0.0.1 && not made 20
}

says_so()
{
	status "$rdma2" reason | grep -x "the link could not be started, it is tried again"
}

# That is said, also by the RDMA core, which posts its own messages.
expected='cannot start the link|no QP for channel|QP did not give its packets back|ib_post_(recv|send) (failed|error)'
plan 13
ib_hosts 2
# Error, RESET, INIT, RTR, RTS
check "a queue pair is not changed: the link comes up" \
	each_refused fail_modify_qp 5 goes_down_and_up
check "it is not attached to a group: the link comes up" \
	each_refused fail_attach_mcast 3 goes_down_and_up
check "nor to another one: that is heard" refused fail_attach_mcast 1 hears_group
# The queue pair ends with its interface all the same, or the RDMA core would complain.
check "it is not detached from a group: the link comes up" \
	each_refused fail_detach_mcast 2 goes_down_and_up
# To the broadcast group, and to the other host
check "no address handle is made: the link comes up" \
	each_refused fail_create_ah 2 goes_down_and_up
check "receives are not posted: the link comes up" \
	each_refused fail_post_recv 3 goes_down_and_up
check "nor sends: the link comes up" \
	each_refused fail_post_send 4 goes_down_and_up
setup ip -n "$h2" link set ib0 down
setup ib_knob "$rdma2/fail_modify_qp" -1
setup ip -n "$h2" link set ib0 up
check "the status says so as long as it is not changed" eventually says_so
setup ib_knob "$rdma2/fail_modify_qp" 0
setup eventually is_up "$h2"
setup ib_knob "$rdma2/refuse_init" Y
setup ip -n "$h2" link set ib0 down
setup ip -n "$h2" link set ib0 up
check "as if it were of no more use: another one is tried, now and then" tries_anew
setup ib_knob "$rdma2/refuse_init" N
check "the link comes up with that" eventually ping_all "$h1" 10.0.0.2 -w 2
setup connected rc 1 2
check "the queue pair of a connection is not made" refused fail_create_qp 1 connects
# INIT, RTR, RTS
check "nor changed: there is a connection in the end" \
	each_refused fail_modify_qp 3 connects
check "its sends are not posted: there is one in the end" sends_refused
