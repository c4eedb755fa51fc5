#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A TCP stream is sent in batches: fewer doorbells than packets, and fewer
# completions asked for.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

plan 3
two_hosts
packets=$(counter "$h1" tx0_packets)
doorbells=$(counter "$h1" tx0_doorbells)
signaled=$(counter "$h1" tx0_signaled)
check "$size are sent" stream "$size"
packets=$(($(counter "$h1" tx0_packets) - packets))
doorbells=$(($(counter "$h1" tx0_doorbells) - doorbells))
signaled=$(($(counter "$h1" tx0_signaled) - signaled))
note "$packets packets, $doorbells doorbells, $signaled signaled"
check "half as many doorbells at most" [ $((2 * doorbells)) -lt "$packets" ]
check "half as many completions at most" [ $((2 * signaled)) -lt "$packets" ]
