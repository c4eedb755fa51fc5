#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Knobs make a fabric slow: completions that are seen later than they happen, or at the
# very moment when their queue is armed, and packets that are on their way for a while.
. "$(dirname "$0")/lib.sh"

holds()
{
	echo "$1 ibdevsim0 ibdevsim1" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

run()
{
	echo "$1 ibdevsim0 ibdevsim1 $2 $3" > $loop && cat $loop && grep -qx "received $3" $loop
}

# each KNOB VALUE: of both HCAs
each()
{
	knob "ibdevsim0/$1" "$2" && knob "ibdevsim1/$1" "$2"
}

plan 9
fabric 2
setup pause_sm
setup load ibdevsim_loop
setup each cq_delay_usec 2000000
check "completions are seen later" holds cq_delayed
setup each cq_delay_usec 300
check "all of them" run rc 4096 100
setup each cq_delay_usec 0
setup each cq_at_arming Y
check "or when their queue is armed" holds cq_at_arming
setup each cq_at_arming N
setup knob wire_usec 2000000
check "a datagram is on its way" holds ud_wire
check "and so is an answer" holds rc_wire
setup knob wire_usec 300
check "datagrams, as many as there are buffers" run ud 64 16
check "a connection" run rc 65536 20
setup knob wire_usec 0
setup knob ibdevsim1/rnr 3
check "with receivers that are not ready" run rc 65536 20
setup knob wire_usec 300
setup knob ibdevsim1/rnr 3
check "far away, too" run rc 65536 20
