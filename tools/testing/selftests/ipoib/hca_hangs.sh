#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not qib or hfi1, for to ask about their ports is no command
#
# An HCA answers no command, as when it is asked about its port, and more interfaces of it ask
# than there are workers for: on the ports of others nothing waits for that. It can be taken
# out while they do.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

children=20

# each_child WORDS...: for ip, with three digits of each in place of N
each_child()
{
	local n

	for ((n = 101; n <= 100 + children; n++)); do
		echo "${*//N/$n}"
	done | ip -n "$h3" -batch -
}

# hanging N: so many, at least
hanging()
{
	local n

	n=$(< "$ibdevsim/$rdma3/hanging")
	echo "$n of $children"
	[ "$n" -ge "$1" ]
}

# told: while the queue pair is being recovered, which takes an answer
told()
{
	in_ns "$h3" timeout "$minute" ethtool -S ib0 | grep 'qp_recoveries: 1' &&
		in_ns "$h3" timeout "$minute" ethtool ib0 | grep Speed
}

taken_out()
{
	echo 2 > /sys/devices/ibdevsim/del_hca
}

plan 5
ib_hosts 3
setup each_child link add link ib0 name redN type ipoib pkey 0x8N
qpn=$(status "$rdma3" qpn)
setup ib_knob "$rdma3/hang_commands" Y
defer ib_knob "$rdma3/hang_commands" N
setup ib_knob "$rdma3/qp_error" "$qpn"
setup eventually hanging 1
check "who asks for counters, or for the speed, is told" told
setup each_child link set redN up
must "an HCA hangs, and many wait" eventually hanging 12
check "others find each other" ping_all "$h1" 10.0.0.2
setup ib_knob "$rdma3/hang_commands" N
check "in the end they find its port, too" eventually ping_all "$h1" 10.0.0.3 -w 2
setup each_child link set redN down
setup ib_knob "$rdma3/hang_commands" Y
setup each_child link set redN up
# Those that have just looked need not ask again.
setup eventually hanging 1
check "an HCA that hangs is taken out" taken_out
