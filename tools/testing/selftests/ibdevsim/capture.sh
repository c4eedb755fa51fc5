#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tap writes a capture file of all that is on the links.
. "$(dirname "$0")/lib.sh"

tcpdump_reads_it()
{
	tcpdump -r "$tmp/capture" -w /dev/null 2>&1 | tee /dev/stderr |
		grep -w INFINIBAND
}

plan 7
setup bare_fabric 2
setup capture
setup start_sm sm1
setup eventually all_active
setup load ibdevsim_loop
setup sh -c "echo ud ibdevsim0 ibdevsim1 100 3 > $loop"
setup sh -c "echo rc ibdevsim0 ibdevsim1 5000 3 > $loop"
setup sh -c "echo rc ibdevsim0 ibdevsim0 100 3 > $loop"
setup captured
check "tcpdump takes it for InfiniBand" tcpdump_reads_it
check_frames \
	"directed-route SMPs" some 'infiniband.mad.mgmtclass == 0x81' \
	"datagrams with a DETH" some 'infiniband.deth' \
	"RC: the first packet of a message" some 'infiniband.bth.opcode == 0' \
	"RC: acknowledgments" some 'infiniband.aeth' \
	"RC: those of an HCA to itself" some \
		'infiniband.aeth && infiniband.lrh.slid == infiniband.lrh.dlid' \
	"nothing malformed" 0 '_ws.malformed && infiniband'
