#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When no memory can be had for receive buffers packets are lost, but as soon
# as there is some again everything is as before, though nothing arrives that
# could remind the interface.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

fail_next()
{
	echo "$1" > "/sys/kernel/debug/ipoib/$rdma2.1.ffff/fail_rx_alloc"
}

failing()
{
	in_ns "$h1" ping -q -f -c 1000 -W 1 -s 4000 10.0.0.2
	grew "$h2" rx0_alloc_failed 10
}

plan 4
two_hosts
setup ping_all "$h1" 10.0.0.2
setup fail_next 1000000
check "allocations fail" eventually failing
setup fail_next 0
check "packets are received again" eventually ping_all "$h1" 10.0.0.2 -w 2
check "large ones, too" ping_all "$h1" 10.0.0.2 -s 30000 -c 20 -i 0.2
check "and none is lost" ping_all "$h1" 10.0.0.2 -i 0 -c "$(much 1000)"
