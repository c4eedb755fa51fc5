#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tap writes a capture file of all that is on the links.
. "$(dirname "$0")/lib.sh"

tcpdump_reads_it()
{
	tcpdump -r "$tmp/capture" -w /dev/null 2>&1 | tee /dev/stderr |
		grep -w INFINIBAND
}

plan 6
setup bare_fabric 2
setup capture
setup start_sm sm1
setup eventually all_active
setup load ibdevsim_loop
setup sh -c "echo ud ibdevsim0 ibdevsim1 100 3 > $loop"
setup sh -c "echo rc ibdevsim0 ibdevsim1 5000 3 > $loop"
setup captured
check "tcpdump takes it for InfiniBand" tcpdump_reads_it
check "directed-route SMPs" frames 'infiniband.mad.mgmtclass == 0x81'
check "datagrams with a DETH" frames 'infiniband.deth'
check "RC: the first packet of a message" frames 'infiniband.bth.opcode == 0'
check "RC: acknowledgments" frames 'infiniband.aeth'
check "nothing malformed" not frames '_ws.malformed && infiniband'
