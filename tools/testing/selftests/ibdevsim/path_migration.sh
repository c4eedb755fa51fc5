#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# A connection that has an alternate path ready goes over to it, both ends do, and
# of what is sent meanwhile nothing is lost or comes twice.
. "$(dirname "$0")/lib.sh"

holds()
{
	echo "$1 ibdevsim0 ibdevsim1" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

sends_more_than()
{
	[ "$(sed -n 's/^xmit_packets //p' $debugfs/ibdevsim0/counters)" -gt "$1" ]
}

# break_while OPTION: messages are under way when packets to the first LID
# of the receiver begin to be lost
break_while()
{
	local before

	before=$(sed -n 's/^xmit_packets //p' $debugfs/ibdevsim0/counters)
	echo "rc ibdevsim0 ibdevsim1 64 30000 $1" > $loop &
	eventually sends_more_than $((before + 500)) &&
		knob drop_rc_dlid "$(lid_of ibdevsim1)" && wait $!
}

# came COUNT MIGRATIONS
came()
{
	cat $loop
	[ "$(paste -sd ' ' $loop)" = \
		"sent $1 received $1 bad 0 errors 0 migrations $2" ]
}

ended()
{
	cat $loop
	! grep -qx 'errors 0' $loop && grep -qx 'migrations 0' $loop
}

plan 10
fabric 2 -l 1
setup load ibdevsim_loop
check "one end is told to" holds mig_commanded
check "what both have ready is replaced by both" holds mig_replaced
check "the end that answers is told to" holds mig_answered
check "nobody answers on either path" holds mig_no_answer
check "a path cannot lead to a group" holds group_path
check "a path that the other end does not have" holds mig_astray
# Some seconds for 30000 messages, on any machine.
setup knob delay_usec 10000
setup knob delay_rc_ppm 10000
setup break_while alternate
check "a path breaks: all messages come, once and in order" came 30000 2
setup knob drop_rc_dlid 0
setup break_while ""
check "a connection with no other path ends" ended
setup knob drop_rc_dlid 0
setup knob delay_rc_ppm 0
setup knob drop_rc_ppm 50000
setup sh -c "echo rc ibdevsim0 ibdevsim1 4096 200 alternate > $loop"
check "no path is left for packets that are lost by chance" came 200 0
setup knob drop_rc_ppm 0
check "and all is well again" holds mig_commanded
