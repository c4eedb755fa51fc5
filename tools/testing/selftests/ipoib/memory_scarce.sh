#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: not locks, for it ends DMA_API_DEBUG when there is no memory for that
#
# While hosts make peers, paths, groups and connections, three of ten allocations fail that
# cannot wait: of the stack's callers, of polls and of the CM's messages. Packets are lost and
# counted; when there is memory again nothing is missing. There are connections on InfiniBand only:
# the queue pair that soft-RoCE has for the CM ends in error without memory, for good.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/conn.sh
. "$here/lib/conn.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"

expected+='|page allocation failure|^(CPU|Hardware name|Workqueue|Mem-Info|Node |lowmem)'

# forgotten: host 1 knows nobody, and is in no group that it is not listening to
forgotten()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up &&
		ip -n "$h1" addr replace fd00::1/64 dev ib0 &&
		ip -n "$h1" route replace 239.0.0.0/8 dev ib0 && eventually is_up "$h1"
}

# talks ROUND: to its neighbour, in packets short and long, and to ten groups
talks()
{
	local i

	for i in 1 2 3; do
		in_ns "$h1" ping -q -c 3 -i 0.05 -W 1 -s $((i * 1200)) 10.0.0.2
		in_ns "$h2" ping -q -c 3 -i 0.05 -W 1 -s $((i * 20000)) fd00::1
	done
	for i in {1..10}; do
		send_udp "$h1" "239.$1.2.$i" 9 2
	done 2> /dev/null
	return 0
}

# round N: all is forgotten while there is memory, or the stack would lack groups of its own
round()
{
	forgotten && scarce interrupts 30 || return
	talks "$1"
	plenty 1
}

rounds()
{
	local i

	for ((i = 1; i <= $(much 8); i++)); do
		round $i || return
	done
}

needs_fail_nth
plan "$(on_ib && echo 5 || echo 4)"
can_be_scarce
two_hosts
! on_ib || setup connected rc 1 2
check "hosts talk while there is little memory" rounds
check "what could not be sent was counted" grew "$h1" drop_tx_no_peer 0
check "host 1 reaches host 2 again" eventually ping_all "$h1" 10.0.0.2 -w 2
check "host 2 reaches host 1" eventually ping_all "$h2" fd00::1 -w 2
! on_ib || check "by connections" eventually by_connection 1 60000 ping_each "$h1" 10.0.0.2 -w 2 -s 20000
