#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: few kernels can have allocations fail
#
# If one allocation fails while an HCA comes, its interface comes all the same, if need be
# a little later. Of some hundred allocations one in sixteen is tried, others each time.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"

needs_fail_nth
plan 2
allocations_may_fail
setup rmmod ipoib
setup bare_fabric 1
hca=/sys/devices/ibdevsim
# Those of the RDMA core and of its other users come first.
first=$(allocations_of $hca/new_hca=1) || exit
echo 1 > $hca/del_hca
setup load_ipoib
setup ip link set "$(interface_of "$rdma1")" name "$ib"
check_each "it comes" -- $hca/new_hca=1 $hca/del_hca=1 /sys/class/net/ib0 \
	$((first + ${SEED:-0} % 16)) 16
check "and goes" not test -e /sys/class/net/ib0
