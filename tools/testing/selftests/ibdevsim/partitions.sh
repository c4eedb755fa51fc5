#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keys keep partitions apart, violations are counted and reported.
. "$(dirname "$0")/lib.sh"

received_is()
{
	echo "ud ibdevsim0 ibdevsim1 64 10" > $loop
	cat $loop
	[ "$(sed -n 's/^received //p' $loop)" -eq "$1" ]
}

violations()
{
	smpquery portinfo "$(lid_of ibdevsim1)" 1 | sed -n 's/^PkeyViolations:\.*//p'
}

violated()
{
	[ "$(violations)" -ge 10 ]
}

trapped()
{
	grep 'num:257' "$tmp/sm1/log"
}

plan 7
fabric 2
setup load ibdevsim_loop
check "same partition" received_is 10
# Who would soon have them as they were
setup pause_sm
setup knob ibdevsim1/pkeys '0 0x8001'
check "other partition" received_is 0
check "violations are counted" violated
setup kill -CONT "$sm_pid"
check "the subnet manager is told" eventually trapped
setup pause_sm
setup knob ibdevsim1/pkeys '0 0x7fff'
check "limited and full member" received_is 10
setup knob ibdevsim0/pkeys '0 0x7fff'
check "two limited members" received_is 0
setup knob ibdevsim0/pkeys '0 0xffff'
check "full and limited member" received_is 10
