#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# 64 HCAs, and more while the subnet is up.
. "$(dirname "$0")/lib.sh"

count_is()
{
	set -- "$1" /sys/class/infiniband/ibdevsim*
	[ $(($# - 1)) -eq "$1" ]
}

plan 4
fabric 64
check "64 HCAs are there" count_is 64
check "the last one is reached" smpquery nodeinfo "$(lid_of ibdevsim63)"
setup sh -c 'echo 63 > /sys/devices/ibdevsim/del_hca'
check "63 are left" count_is 63
setup sh -c 'echo 1 > /sys/devices/ibdevsim/new_hca'
check "a new one becomes active" eventually state_is ibdevsim63 ACTIVE
