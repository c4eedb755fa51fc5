#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# An HCA has no room for one more address handle, group, queue pair or completion queue.
# When it has again, nobody has to do anything.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# full OBJECT: no more of them, not even in place of one that is about to go
full()
{
	all=$(< "$ibdevsim/$rdma2/max_$1")
	ib_knob "$rdma2/max_$1" 0
}

# room OBJECT: as many as before
room()
{
	ib_knob "$rdma2/max_$1" "$all"
}

reached()
{
	ping_all "$h2" 10.0.0.3 -w 2
}

# hears ADDRESS: a group
hears()
{
	ping_all "$h1" "$1" -w 2
}

by_datagrams()
{
	ping_all "$h1" 10.0.0.2
}

# That is said.
expected='cannot start the link|no QP for channel|no connections: '
plan 8
ib_hosts 3
setup eventually ping_all "$h2" 10.0.0.1 -w 2
setup full ah
check "no address handle: one is not reached" not ping_all "$h2" 10.0.0.3 -w 2
setup room ah
check "with room it is" eventually reached
setup full mcast_grp
setup ip -n "$h2" addr add fd00::77/64 dev ib0
check "no group: it is not joined" \
	eventually grep '^ff12:601b:ffff::1:ff00:77 state=backoff .* error=-12$' \
	"$debug/$rdma2.1.ffff/groups"
setup room mcast_grp
setup eventually joined "$rdma2" ff12:601b:ffff::1:ff00:77 attached
check "with room it is" eventually hears fd00::77
setup full qp
setup connected rc 1 2
check "no queue pair: packets go as datagrams" by_datagrams
setup room qp
check "with room there is a connection" \
	eventually by_connection 2 3000 ping_each "$h2" 10.0.0.1 -w 2 -s 4000
setup mode datagram 1 2
setup eventually nothing_of conn
setup full cq
setup connected rc 1 2
check "no completion queue: packets go as datagrams" by_datagrams
setup room cq
check "with room there is a connection" \
	eventually by_connection 2 3000 ping_each "$h2" 10.0.0.1 -w 2 -s 4000
