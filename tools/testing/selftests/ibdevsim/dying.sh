#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An HCA stops doing anything and is woken again; another one dies. What was made on
# either can be taken apart, and the HCA taken out.
. "$(dirname "$0")/lib.sh"

# run TYPE FROM TO
run()
{
	echo "$1 ibdevsim$2 ibdevsim$3 64 10" > $loop && cat $loop && grep -qx 'received 10' $loop
}

# stopped STATUS COMMAND...: it fails with that
stopped()
{
	local error

	error=$("${@:2}" 2>&1) && return 1
	echo "$error"
	[[ $error == *"$1"* ]]
}

# taken_out N
taken_out()
{
	echo "$1" > /sys/devices/ibdevsim/del_hca
}

# resets: a case in which a queue pair is
resets()
{
	echo rc_no_answer ibdevsim0 ibdevsim1 > "${loop%/*}/case"
}

queue_pairs()
{
	wc -l < "$debugfs/ibdevsim$1/qps"
}

plan 12
fabric 3
setup load ibdevsim_loop
before=$(queue_pairs 1)
setup knob ibdevsim1/stall 1
check "an HCA is stalled: nothing completes" stopped 'timed out' run ud 1 0
check "nor does it receive" not run ud 0 1
check "and a connection to it is given up" not run rc 0 1
check "queue pairs can be destroyed" [ "$(queue_pairs 1)" -eq "$before" ]
check "subnet management goes on" saquery -C ibdevsim1 NR
setup knob ibdevsim1/stall 0
check "it goes on when it is released" run rc 1 0
setup knob ibdevsim2/dead 1
check "an HCA is dead: commands fail" stopped 'Input/output' run ud 2 0
check "it stays so" not knob ibdevsim2/dead 0
check "and cannot be woken" not knob ibdevsim2/stall 0
check "it can be taken out" taken_out 2
setup knob ibdevsim1/fail_reset Y
check "a queue pair is not reset" not resets
setup knob ibdevsim1/fail_reset N
check "one is" resets
