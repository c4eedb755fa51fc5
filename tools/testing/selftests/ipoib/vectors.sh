#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: not locks, for that has one CPU
# Also: kcsan stock
#
# The completion queues of an interface, and those of its connections, interrupt
# different CPUs.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# interrupts VECTOR: of host 1's HCA, so far
interrupts()
{
	sed -n "s/^$1 .* interrupts //p" "/sys/kernel/debug/ibdevsim/$rdma1/vectors"
}

# both_by COMMAND...: it interrupts by each of the first two vectors, often
both_by()
{
	local first second

	first=$(interrupts 0) second=$(interrupts 1)
	"$@" || return
	first=$(($(interrupts 0) - first)) second=$(($(interrupts 1) - second))
	echo "$first and $second interrupts"
	[ "$first" -ge 20 ] && [ "$second" -ge 20 ]
}

plan 4
two_hosts
must "there are two vectors" [ -n "$(interrupts 1)" ]
setup quiet_hosts 1 2
check "datagrams, sent and received" both_by ping_all "$h1" 10.0.0.2 -c 50 -i 0.02
setup connected rc 1 2
check "a connection" large "$h1" 10.0.0.2
check "its messages, sent and received" both_by \
	by_connection 1 ping_all "$h1" 10.0.0.2 -c 50 -i 0.02
