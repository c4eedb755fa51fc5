#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# A TCP stream is sent in batches: fewer doorbells than packets, and fewer
# completions asked for.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

plan 3
two_hosts
packets=$(counter "$h1" tx_packets)
doorbells=$(counter "$h1" tx_doorbells)
signaled=$(counter "$h1" tx_signaled)
check "$size are sent" stream "$size"
packets=$(($(counter "$h1" tx_packets) - packets))
doorbells=$(($(counter "$h1" tx_doorbells) - doorbells))
signaled=$(($(counter "$h1" tx_signaled) - signaled))
note "$packets packets, $doorbells doorbells, $signaled signaled"
# How many go at a time depends on the CPUs; without batches it is one.
check "fewer doorbells, by a quarter at least" \
	[ $((4 * doorbells)) -lt $((3 * packets)) ]
check "fewer completions, by a quarter at least" \
	[ $((4 * signaled)) -lt $((3 * packets)) ]
