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

# own_gid GUID: a second one
own_gid()
{
	local gids

	knob ibdevsim0/guids "1 $1"
	gids=$(< /sys/class/infiniband/ibdevsim0/ports/1/gids/1)
	[[ ${gids//:/} == *"${1#0x}" ]]
}

# gid_changes CASE: meanwhile, when there is an address with it
gid_changes()
{
	holds "$1" &
	eventually grep 'ibdevsim_loop .* dgid' "$debugfs/ibdevsim0/ahs" &&
		knob ibdevsim0/guids '1 0x0269620000abcde1' && wait $!
}

# holds CASE [FROM]: from one HCA to the next one
holds()
{
	local from=${2-0}

	echo "$1 ibdevsim$from ibdevsim$((from + 1))" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

plan 19
fabric 2
setup load ibdevsim_loop
setup come mlx5 2
setup come qib 2
setup come mthca 2
setup come irdma 2
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
check "with irdma one that was reset is of no more use" holds one_life 8
check "and so is one of which a send failed" holds send_is_fatal 8
check "and otherwise is" holds many_lives
check "with qib a group has one LID" holds group_lid 4
check "which one that is reset cannot join" holds group_reset 4
check "with mthca it has eight members" holds group_full 6
check "the address of a send is kept" holds ah_by_reference
check "where it is copied the handle may go" holds ah_by_value 2
setup pause_sm
setup eventually own_gid 0x0269620000abcde0
check "its source is looked up when it is sent" gid_changes late_gid
