#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tap writes a capture file of all that is on the links.
. "$(dirname "$0")/lib.sh"

tcpdump_reads_it()
{
	tcpdump -r "$tmp/capture" -w /dev/null 2>&1 | tee -a /dev/stderr |
		grep -w INFINIBAND
}

# read_by N: as many have one descriptor, each packet wakes all of them, and none is told that
# there is an end
read_by()
{
	local i pid pids=()

	exec {tap}< /dev/ibdevsim_tap
	for ((i = 0; i < $1; i++)); do
		cat <&"$tap" > "$tmp/read$i" &
		pids+=($!)
	done
	exec {tap}<&-
	for ((i = 0; i < 50; i++)); do
		echo ud ibdevsim0 ibdevsim1 100 10 > $loop || return
	done
	kill "${pids[@]}"
	for pid in "${pids[@]}"; do
		wait "$pid"
		[ $? -eq $((128 + 15)) ] || { echo "one has read to the end"; return 1; }
	done
}

plan 8
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
check "several read one descriptor" read_by 8
