#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each knob has its effect, and the same seed the same one.
. "$(dirname "$0")/lib.sh"

run()
{
	echo "$1 ibdevsim0 ibdevsim1 $2 $3" > $loop
}

received()
{
	sed -n 's/^received //p' $loop
}

same_with_seed()
{
	local first

	knob seed 7 && run ud 64 500 && first=$(received) &&
	knob seed 7 && run ud 64 500 && echo "$first $(received)" &&
	[ "$first" -eq "$(received)" ] && [ "$first" -lt 500 ]
}

twice_as_many()
{
	run ud 64 10
	[ "$(received)" -eq 10 ] || return
	knob dup_ud_ppm 1000000
	# A duplicate is out of order; the run counts it as bad.
	run ud 64 10
	cat $loop
	knob dup_ud_ppm 0
	[ "$(sed -n 's/^bad //p' $loop)" -ge 1 ]
}

fails_with_errors()
{
	knob "$1" "$2"
	run rc 64 20
	cat $loop
	! grep -qx 'errors 0' $loop || return
	knob "$1" 0
}

# takes_longer: than a single wait, and without it some milliseconds
takes_longer()
{
	local began=${EPOCHREALTIME/./}

	run rc 4096 50 && echo "$((${EPOCHREALTIME/./} - began)) us" &&
		[ $((${EPOCHREALTIME/./} - began)) -ge 1000000 ]
}

# hurried COMMAND...: meanwhile, the timer of the sender is said again and again to have run out
hurried()
{
	local qpn status pid

	qpn=$(< "$debugfs/ibdevsim0/next_qpn")
	while :; do knob ibdevsim0/stale_timer "$qpn"; done 2> "$tmp/hurried" &
	pid=$!
	"$@"
	status=$?
	kill $pid && wait $pid 2> /dev/null
	return $status
}

# Of 5000 that are delayed for longer than that takes
held_in_part()
{
	run ud 64 5000 && cat "$debugfs/ibdevsim0/counters" &&
	[ "$(sed -n 's/^xmit_discards //p' "$debugfs/ibdevsim0/counters")" -ge 900 ]
}

deaf()
{
	echo "ud ibdevsim0 ibdevsim0 64 10" > $loop && cat $loop && [ "$(received)" -eq 0 ]
}

plan 14
fabric 2
# It sends from ibdevsim0, too, and one of its calls could be the one that fails.
setup pause_sm
setup load ibdevsim_loop
setup knob drop_ud_ppm 100000
check "the same seed, the same packets lost" same_with_seed
setup knob drop_ud_ppm 0
check "duplicates arrive" twice_as_many
setup knob delay_usec 20000
setup knob delay_rc_ppm 1000000
check "delayed, a connection holds" takes_longer
check "and waits until the timer that it has started" hurried takes_longer
setup knob delay_rc_ppm 0
setup knob ibdevsim0/fail_create_qp 1
check "create_qp fails" not run ud 64 1
setup knob ibdevsim0/fail_create_ah 1
check "create_ah fails" not run ud 64 1
setup knob ibdevsim0/fail_post_send 3
check "the third post_send fails" not run ud 64 10
check "a send completes with an error" fails_with_errors ibdevsim0/fail_send 5
check "and all is well again" run rc 64 20
setup knob drop_smp_ppm 1000000
check "no SMP arrives" not diag smpquery -t 200 nodeinfo "$(lid_of ibdevsim1)"
check "nor one by a directed route" not diag smpquery -t 200 -D nodeinfo 0,1
setup knob drop_smp_ppm 0
check "without loss they do" diag smpquery nodeinfo "$(lid_of ibdevsim1)"
setup knob delay_usec 100000000
setup knob delay_ud_ppm 1000000
check "links hold some thousand packets and no more" held_in_part
setup knob delay_ud_ppm 0
setup knob ibdevsim0/link 0
check "a port that is down does not hear itself" deaf
