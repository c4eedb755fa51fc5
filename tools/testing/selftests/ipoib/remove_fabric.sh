#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
# HCAs: not irdma, for they have one P_Key
#
# All HCAs are pulled under traffic, with a subnet manager and after that died:
# it does not take long, and no interface is left.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

round()
{
	check "$1: the HCAs go" within 60 rmmod ibdevsim
	check "$1: so do their interfaces" not ip -n "$h1" link show ib0
	check "$1: and the children" not ip -n "$h2" link show red
}

start_round()
{
	ib_hosts 2
	setup child 2 0x8001 red
	setup child_addresses 2 red
	setup eventually is_up "$h2" red
	setup traffic
}

plan 6
partitions+=$red
start_round
round "with a subnet manager"
setup kill_sm sm1
setup ip netns del "$h1"
setup ip netns del "$h2"
start_round
setup kill_sm sm1
round "without"
