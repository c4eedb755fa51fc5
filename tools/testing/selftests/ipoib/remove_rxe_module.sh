#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rmmod rdma_rxe under traffic takes every RDMA device away, and with it every
# interface.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

gone()
{
	! ip -n "$h1" link show ib0 && ! ip -n "$h2" link show ib0
}

plan 3
two_hosts
setup traffic
check "the module goes" rmmod rdma_rxe
check "the interfaces are gone" eventually gone
setup modprobe rdma_rxe
setup rdma_port "$eth1" "$rdma1"
check "the port can have one again" \
	ip link add link "$eth1" name "$ib" type ipoib
