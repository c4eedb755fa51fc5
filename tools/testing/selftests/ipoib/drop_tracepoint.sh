#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each drop is traced with its reason.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

traced()
{
	grep -E "ipoib_drop: dev=ib0 reason=$1 len=[0-9]+" $tracing/trace
}

plan 3
two_hosts
setup sh -c "echo > $tracing/trace"
setup sh -c "echo 1 > $tracing/events/ipoib/ipoib_drop/enable"
defer sh -c "echo 0 > $tracing/events/ipoib/ipoib_drop/enable"
setup ip -n "$h1" neigh replace 10.0.0.99 nud permanent dev ib0 \
	lladdr 00:00:00:11:20:01:0d:b8:00:00:00:00:00:00:00:00:00:00:de:ad

send_udp "$h1" 10.0.0.99 9 1
check "on the way out" eventually traced tx_no_path
setup inject -d "$rdma1" -a "$(lladdr "$h2")" -x 0800
check "too short, on the way in" eventually traced rx_runt
setup inject -d "$rdma1" -a "$(lladdr "$h2")" -t 0x1234
check "an unknown EtherType" eventually traced rx_unknown_proto
