#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: few kernels can have allocations fail
#
# If one allocation of an operation fails, the operation fails and leaves nothing behind,
# or does without.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
net=/sys/class/net/ib0

needs_fail_nth
plan 4
allocations_may_fail
ib_fabric 1
setup host 1
setup eventually is_up "$h1"
check_each "the mode" in_sysfs "$h1" -- \
	$net/mode=connected $net/mode=datagram $net/mode=connected
check_each "a child" in_sysfs "$h1" -- \
	$net/create_child=0x8001 $net/delete_child=0x8001 /sys/class/net/ib0.8001
setup ip -n "$h1" link set ib0 down
check_each "the interface comes up" in_sysfs "$h1" -- \
	$net/flags=0x1003 $net/flags=0x1002 $net/flags=0x1003
setup ip -n "$h1" link set ib0 up
check "it has a carrier again" eventually is_up "$h1"
