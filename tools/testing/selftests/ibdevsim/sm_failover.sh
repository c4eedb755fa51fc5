#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A second subnet manager stands by, and takes over when the first is gone.
. "$(dirname "$0")/lib.sh"

master_is()
{
	local sm_lid

	for d in ibdevsim0 ibdevsim1 ibdevsim2; do
		sm_lid=$(($(< /sys/class/infiniband/$d/ports/1/sm_lid)))
		echo "$d $sm_lid"
		[ "$sm_lid" -eq "$1" ] || return
	done
}

guid()
{
	echo "0x$(ibstat "$1" | sed -n 's/.*Port GUID: 0x//p')"
}

plan 3
fabric 3 -p 10 -g 0x0269620000000101
first=$sm_pid
check "the first is master" master_is "$(lid_of ibdevsim0)"
setup start_sm sm2 -p 5 -g "$(guid ibdevsim1)"
check "the second stands by" eventually grep -i 'Entering STANDBY' "$tmp/sm2/log"
setup kill_sm "$first"
check "the second takes over" eventually master_is "$(lid_of ibdevsim1)"
