#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module loads where no RDMA device exists, and serves those that come.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
setup rmmod ipoib
setup rmmod rdma_rxe
check "loads without any RDMA device" load_ipoib
check "offers its link type, and refuses to use it" \
	grep "Error: ipoib: " <<< "$(ip link add "$ib" type ipoib 2>&1)"
two_hosts
check "serves a device that comes later" ping_all "$h1" 10.0.0.2
check "cannot be missed by lsmod" grep '^ipoib ' /proc/modules
