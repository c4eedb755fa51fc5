#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Queues hold what was asked for and not one more; a slot is free when the profile says;
# who overruns a completion queue fails; and address handles are kept until then.
. "$(dirname "$0")/lib.sh"

# come KIND N: so many more HCAs like those
come()
{
	echo "$1 $2" > /sys/devices/ibdevsim/new_hca
}

# holds CASE [FROM]: from one HCA to the next one
holds()
{
	local from=${2-0}

	echo "$1 ibdevsim$from ibdevsim$((from + 1))" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

plan 13
fabric 2
setup load ibdevsim_loop
setup come mlx5 2
setup come qib 2
setup eventually all_active
check "work queues that are no power of two" holds exact
check "the same where slots are free when polled" holds exact 2
check "there a send has its slot until polled" holds send_at_poll 2
check "and otherwise until done" not holds send_at_poll
check "there a buffer has come back when polled" holds recv_at_poll 2
check "and otherwise when filled" not holds recv_at_poll
check "there arming one that is not empty raises an event" holds event_at_arming 2
check "a completion queue too small: event, and the queue pair fails" holds overrun
check "with qib completions stay when their queue pair is reset" holds reset_keeps 4
check "and otherwise go" not holds reset_keeps
check "with qib a group has one LID" holds group_lid 4
check "the address of a send is kept" holds ah_by_reference
check "where it is copied the handle may go" holds ah_by_value 2
