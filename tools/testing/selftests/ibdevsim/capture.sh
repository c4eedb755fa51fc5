#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tap writes a capture file of all that is on the links.
. "$(dirname "$0")/lib.sh"

# Wireshark has a dissector for this link type and does not know its number; as
# the first of the numbers that are the user's it can be told.
decode()
{
	{ head -c 20; head -c 4 > /dev/null; printf '\223\0\0\0'; cat; } \
		< "$tmp/tap" > "$tmp/user0"
	tshark -r "$tmp/user0" -o \
		'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""' "$@"
}

frames()
{
	decode -Y "$1" > "$tmp/frames" 2> "$tmp/tshark"
	[ -s "$tmp/frames" ] && return
	cat "$tmp/tshark"
	decode | head
	return 1
}

plan 6
setup bare_fabric 2
cat /dev/ibdevsim_tap > "$tmp/tap" &
tap=$!
setup start_sm sm1
setup eventually all_active
setup load ibdevsim_loop
setup sh -c "echo ud ibdevsim0 ibdevsim1 100 3 > $loop"
setup sh -c "echo rc ibdevsim0 ibdevsim1 5000 3 > $loop"
sleep 1
kill $tap
wait $tap
check "tcpdump takes it for InfiniBand" sh -c "tcpdump -r $tmp/tap -w /dev/null 2>&1 | grep -w INFINIBAND"
check "directed-route SMPs" frames 'infiniband.mad.mgmtclass == 0x81'
check "datagrams with a DETH" frames 'infiniband.deth'
check "RC: the first packet of a message" frames 'infiniband.bth.opcode == 0'
check "RC: acknowledgments" frames 'infiniband.aeth'
check "nothing malformed" not frames '_ws.malformed && infiniband'
