#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not mthca or qib, for they have one vector
# Kernel: not locks, for that has one CPU
# Also: kcsan stock
#
# The completion queues of an interface, and those of its connections, interrupt
# different CPUs, and are polled where they do.

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

# aim CPU: all vectors of both HCAs interrupt that one
aim()
{
	local vector

	for vector in "$ibdevsim/$rdma1"/vector*_cpu "$ibdevsim/$rdma2"/vector*_cpu; do
		echo "$1" > "$vector" || return
	done
}

# polled_by CPU COMMAND...: meanwhile interfaces are, and by no other
polled_by()
{
	local cpus

	echo > $tracing/trace
	"${@:2}" || return
	cpus=$(sed -n 's/.*\[0*\([0-9]\)\] .* napi_poll: .* device ib0 .*/\1/p' $tracing/trace |
		sort | uniq -c)
	echo "polls, CPU: $cpus"
	[[ $cpus =~ ^\ *[0-9]+\ $1$ ]]
}

plan 8
two_hosts
must "there are two vectors" [ -n "$(interrupts 1)" ]
setup quiet_hosts 1 2
check "datagrams, sent and received" eventually both_by ping_all "$h1" 10.0.0.2 -c 50 -i 0.02
setup connected rc 1 2
check "a connection" large "$h1" 10.0.0.2
# By one connection, once both ends have settled for it
check "its messages, sent and received" eventually both_by \
	by_connection 1 ping_all "$h1" 10.0.0.2 -c 50 -i 0.02
setup sh -c "echo 1 > $tracing/events/napi/napi_poll/enable"
defer sh -c "echo 0 > $tracing/events/napi/napi_poll/enable"
for cpu in 1 0; do
	# What was on its way before still gets to where it was to go.
	setup aim $cpu
	check "interrupts go to CPU $cpu: its messages are polled there" \
		eventually polled_by $cpu by_connection 1 ping_all "$h1" 10.0.0.2
	setup mode datagram 1 2
	check "datagrams as well" eventually polled_by $cpu ping_all "$h1" 10.0.0.2
	setup connected rc 1 2
done
