#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan profiles
#
# An HCA does nothing any more, with traffic on it, in datagram and in connected mode. An
# interface can be brought down and up, or taken out with its HCA; and when the HCA goes on,
# so does the interface.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# stalls N: the HCA of host 2
stalls()
{
	ib_knob "$rdma2/stall" "$1"
}

down_and_up()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

# taken_out N
taken_out()
{
	echo "$1" > /sys/devices/ibdevsim/del_hca
}

reached()
{
	ping_all "$h1" 10.0.0.2 -w 2
}

# That is said.
expected="QP did not give its packets back|cannot start the link|no QP for channel|$watchdog_says"
plan 9
ib_hosts 3
setup flood "$h1" 10.0.0.2
setup flood "$h2" 10.0.0.3
for type in datagram rc; do
	[ $type = datagram ] || setup connected rc 1 2
	setup eventually reached
	setup stalls 1
	check "$type: an HCA stalls" eventually not reached
	check "$type: the interface goes down and up" down_and_up
	check "$type: others reach each other" ping_all "$h1" 10.0.0.3
	setup stalls 0
	check "$type: it goes on with its HCA" eventually reached
done
setup stalls 1
check "it is taken out with its HCA" taken_out 1
