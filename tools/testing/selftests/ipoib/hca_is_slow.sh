#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# HCAs take their time: completions are seen later than they happen, or at the moment when
# their queue is armed, and packets are on their way for a while. Nothing is lost, nothing
# gets stuck, and all arrives as it was sent.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# slow KNOB VALUE: both
slow()
{
	ib_knob "$rdma1/$1" "$2" && ib_knob "$rdma2/$1" "$2"
}

size=$(much 16M)
plan 11
ib_hosts 2
setup slow cq_delay_usec 300
check "completions are late: pings" ping_all "$h1" 10.0.0.2 -c 100 -i 0.01
check "TCP" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup connected rc 1 2
check "by a connection" by_connection 1 "$size" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup slow cq_delay_usec 0
setup slow cq_at_arming Y
check "completions when queues are armed: a connection" \
	by_connection 1 "$size" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup mode datagram 1 2
check "TCP" transfer "$h2" "$h1" 10.0.0.1 "$size"
check "pings" ping_all "$h1" 10.0.0.2 -c 100 -i 0.01
setup slow cq_at_arming N
setup ib_knob wire_usec 300
check "packets on their way: pings" ping_all "$h1" 10.0.0.2 -c 100 -i 0.01
check "TCP" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup connected rc 1 2
check "by a connection" by_connection 1 "$size" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup slow cq_delay_usec 50
check "completions and packets" \
	by_connection 1 "$size" transfer "$h1" "$h2" 10.0.0.2 "$size"
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 up
check "the same after a new start" eventually ping_all "$h2" 10.0.0.1 -w 2
