#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
# Also: kcsan
#
# Removing the Ethernet devices under traffic takes everything on them away.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

gone()
{
	! ip -n "$1" link show ib0
}

plan 4
two_hosts
setup traffic
check "both ends of the cable go" ip link del "$eth1"
check "the interface of host 1 is gone" eventually gone "$h1"
check "the interface of host 2 is gone" eventually gone "$h2"
check "and so are the RDMA devices" eventually not rdma link show "$rdma1/1"
