#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Packets to the broadcast group, and to nodes, go no faster than the subnet administrator
# says. No HCA in software would mind; what the driver asks of it says so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# rate_of PATTERN: of the interface's handles
rate_of()
{
	sed -n "s/^ipoib $1/&/p" "$ibdevsim/$rdma1/ahs" | grep -o 'rate [0-9]*' | sort -u
}

# rate_is PATTERN RATE
rate_is()
{
	cat "$ibdevsim/$rdma1/ahs"
	[ "$(rate_of "$1")" = "rate $2" ]
}

plan 2
# 10 Gbit/s, enum ib_rate; ports have 40, which is 7
partitions='Default=0x7fff, ipoib, mtu=5, rate=3 : ALL=full, SELF=full;'
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
check "the broadcast group" rate_is '.* dgid ff12:401b:ffff::ffff:ffff ' 3
check "a node" rate_is "dlid $(($(< "/sys/class/infiniband/$rdma2/ports/1/lid"))) " 7
