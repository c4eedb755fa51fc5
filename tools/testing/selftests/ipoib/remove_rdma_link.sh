#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rdma link del under traffic takes the interface of that port away.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

gone()
{
	! ip -n "$1" link show ib0
}

plan 5
two_hosts
setup traffic
check "the RDMA device goes" rdma link del "$rdma1"
check "its interface is gone" eventually gone "$h1"
check "the other host's is not" not gone "$h2"
setup rdma_port "$eth1" "$rdma1"
setup ip link add link "$eth1" name ib0 netns "$h1" type ipoib
addresses 1
check "a new one has carrier" eventually has_carrier "$h1"
check "and reaches the other host" eventually ping_all "$h1" 10.0.0.2 -W 2
