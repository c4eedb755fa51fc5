#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# What is to happen when something goes wrong, and who is told of what: in each case
# as the specification has it.
. "$(dirname "$0")/lib.sh"

# holds CASE [TO]: from ibdevsim0, as a rule to ibdevsim1
holds()
{
	echo "$1 ibdevsim0 ibdevsim${2-1}" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

plan 33
fabric 2
setup load ibdevsim_loop
check "RC: the buffer is too small" holds rc_too_long
check "UC: it is for the next message" holds uc_too_long
check "UD: it is for the next message" holds ud_too_long
check "UC: a wrong key stops the sending side only" holds uc_wrong_key
check "UD: a wrong key stops the sending side only" holds ud_wrong_key
check "UD: an address handle of another domain" holds wrong_domain
check "UD: a wrong key ends the receiving side" holds wrong_recv_key
check "a failure says no more than that" holds rubbish
check "a shared queue of another domain" holds foreign_srq
check "UD: rubbish where no header came" holds no_header
check "RC: packets from another LID" holds misled
check "RC: answers for another queue pair" holds misdirected
check "UD: a number with flags in it" holds long_number
check "UD: a piece without octets" holds hollow
check "RC: packets longer than the path has them" holds narrow
check "RC: the first message makes the connection" holds comm_est
check "RC: a drained queue is told of if wanted" holds drained
check "UD: numbers wrap" holds psn_wraps
check "UD: a GID of somebody else" holds wrong_gid
check "UD: to a group, with the number of a member" holds group_qpn 0
check "UD: a flag that nobody promised" holds unknown_flag
check "UD: an address at a rate that no link has" holds unknown_rate
check "RC: a timer that no packet has room for" holds unknown_timer
check "RC: nobody answers" holds rc_no_answer
check "RC: the receiver has no buffer" holds rc_not_ready
check "RC: both queues are flushed in order" holds rc_flush
check "UD: both queues are flushed in order" holds ud_flush
check "the last work request of a shared queue's user" holds last_wqe
check "the limit of a shared queue" holds srq_limit
check "consumers are told in hard interrupts" holds hard_irq
check "missed events" holds missed_events
check "solicited events" holds solicited
check "moderation" holds moderation
