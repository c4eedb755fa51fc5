#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they receive no message of 65524 octets
#
# Both ends take the steps of closing a connection when they are due. None waits until the time
# for it is over, when late_work() would run.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

runs=$tracing/events/workqueue/workqueue_execute_start

# closes: host 2 closes a connection that it has opened
closes()
{
	mode connected 2 && eventually answers "$h1" 10.0.0.2 -s 60000 -M "do" || return
	echo > "$tracing/trace"
	mode datagram 2 && eventually nothing_of conn
}

was_late()
{
	grep -v '^#' "$tracing/trace"
}

# in_time: at the first try, unless the machine is slow
in_time()
{
	closes && ! was_late
}

plan 3
two_hosts
late=$(sed -n 's/^\([^ ]*\) . late_work.*\[ipoib\]$/0x\1/p' /proc/kallsyms)
setup connected rc 1 2
setup sh -c "echo 'function == $late' > $runs/filter"
defer sh -c "echo 0 > $runs/filter"
setup sh -c "echo 1 > $runs/enable"
defer sh -c "echo 0 > $runs/enable"
check "a connection is closed without waiting" eventually in_time
setup ib_knob mad_rules "class=7 attr=${cm_attr[dreq]} times=1 drop"
check "one whose DREQ is lost is closed, too" closes
check "after a wait" was_late
