#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An HCA keeps the limits that it tells of, and is as empty after the refusal as before.
# Faults meet whom they are meant for, and a fabric drops service levels without a lane.
. "$(dirname "$0")/lib.sh"

run()
{
	echo "$1 ibdevsim0 ibdevsim1 64 10" > $loop && cat $loop
}

# holds CASE: ibdevsim0 receives
holds()
{
	echo "$1 ibdevsim1 ibdevsim0" > "${loop%/*}/case"
}

objects()
{
	cat "$debugfs/ibdevsim0/objects"
}

used()
{
	sed -n "s/^$1 //p" "$debugfs/ibdevsim0/objects"
}

# refused KIND: no more of them, and nothing is left of who wanted one
refused()
{
	local all before

	before=$(objects)
	all=$(< "$debugfs/ibdevsim0/max_$1")
	knob "ibdevsim0/max_$1" "$(used "$1")" || return
	! run ud || return
	knob "ibdevsim0/max_$1" "$all" && run ud && diff <(echo "$before") <(objects)
}

# nth_is N: the send that has to fail is as far away as that
nth_is()
{
	[ "$(< "$debugfs/ibdevsim0/fail_create_ah")" -eq "$1" ]
}

passed()
{
	run ud && grep -qx "received $1" $loop
}

plan 13
fabric 2
# It makes address handles when it sweeps.
setup pause_sm
setup load ibdevsim_loop
for kind in pd cq qp ah; do
	check "a $kind too many" refused $kind
done
setup kill -CONT "$sm_pid"
setup knob ibdevsim0/max_srq 0
check "a shared receive queue too many" \
	not holds srq_limit
setup knob ibdevsim0/fail_create_ah 1
setup saquery -C ibdevsim0 NR
check "no fault meets the RDMA core" nth_is 1
setup knob victim ipoib
check "nor others than its victim" run ud
check "it waits for that" nth_is 1
setup knob victim ibdevsim_loop
check "and meets it" not run ud
setup knob victim ''
setup knob sls 0xfffe
check "a service level without a lane is dropped" passed 0
check "that is counted" grep -E '^xmit_discards [1-9][0-9]$' "$debugfs/ibdevsim0/counters"
check "the subnet administrator has it, too" not diag saquery -t 200 -C ibdevsim0 NR
setup knob sls 0xffff
check "with one it passes" passed 10
