#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: not locks, for it ends DMA_API_DEBUG when there is no memory for that
#
# Of the packets that arrive while three of ten allocations fail that cannot wait, some are
# dropped for want of memory, and each of these is counted.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"

expected+='|page allocation failure|^(CPU|Hardware name|Workqueue|Mem-Info|Node |lowmem)'

# arrive: so short that they are copied, and so fewer at a time than there are buffers for that
# none is lost for want of one
arrive()
{
	local i before

	scarce interrupts 30 || return
	for i in {1..15}; do
		before=$(tallies && echo "${got[2]}")
		send_udp "$h1" 10.0.0.2 9 40
		eventually came $((before + 40)) || break
	done
	plenty 1
}

# came N: to host 2, by now
came()
{
	tallies && [ "${got[2]}" -ge "$1" ]
}

needs_fail_nth
plan 2
can_be_scarce
two_hosts
setup quiet_hosts 1 2
# Or the memory of a copy would be there for the next one.
setup reads_nothing "$h2"
lost=$(counter "$h2" drop_rx_no_memory)
check "all that arrives is received, or counted" conserved arrive
check "and some of it could not be received" grew "$h2" drop_rx_no_memory "$lost"
