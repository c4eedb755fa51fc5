#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Beside ib_ipoib in one kernel, each on a HCA of its own: ARP, neighbour
# discovery, and pings of all sizes, in both directions.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 14
interop_hosts ours
check "ARP and IPv4, from ours" ping_all "$h1" 10.0.0.2
check "neighbour discovery and IPv6, from ours" ping_all "$h1" fd00::2
setup forget_neighbours "$h1" all
setup forget_neighbours "$h2" all
check "ARP and IPv4, from theirs" ping_all "$h2" 10.0.0.1
check "neighbour discovery and IPv6, from theirs" ping_all "$h2" fd00::1
for size in 0 1 2016 2017; do
	check "$size octets, from ours" ping_all "$h1" 10.0.0.2 -s $size
	check "$size octets, from theirs" ping_all "$h2" 10.0.0.1 -s $size
done
check "65507 octets, from ours" ping_each "$h1" 10.0.0.2 -s 65507
check "65507 octets, from theirs" ping_each "$h2" 10.0.0.1 -s 65507
