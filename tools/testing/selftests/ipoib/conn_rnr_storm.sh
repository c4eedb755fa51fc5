#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles
# HCAs: not irdma, for they have no shared receive queues
#
# 16 peers send to one host at once, which has no memory for more buffers for a
# while: they wait, every message arrives, and no connection dies of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all_sent: now that there is memory. Who has just counted down may undo that
all_sent()
{
	no_memory 0 && peers_are 16 state=established sent=50
}

# received N: messages of all connections
received()
{
	connections 1 | sed 's/.* received=\([0-9]*\).*/\1/' |
		awk -v n="$1" '{ sum += $1 } END { print sum; exit sum != n }'
}

# no_memory N: host 1 cannot get so many pages
no_memory()
{
	echo "$1" > "$debug/$rdma1.1.ffff/fail_rx_alloc"
}

# told_to_wait: peers, by NAKs that say "receiver not ready", and to try again in 0.64 ms
told_to_wait()
{
	if on_ib; then
		decode 'infiniband.aeth.syndrome.opcode == 1' \
			infiniband.aeth.syndrome.timer | sort | uniq -c > "$tmp/timers" &&
			tee /dev/stderr < "$tmp/timers" |
			awk '$2 != 12 { other = 1 } END { exit other || !NR }'
	else
		grep -v '^0$' \
			"/sys/class/infiniband/$rdma2/ports/1/hw_counters/rcvd_rnr_err"
	fi
}

plan 6
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup ask_in_turn 2 16 0x100
check "16 connections" eventually peers_are 16 state=established
! on_ib || setup capture "$eth2"
buffers=$(status "$rdma1" conn_buffers_posted)
setup [ "$buffers" -gt 16 ]
setup no_memory 1000000000
cmpeer send count=50 size=4000
check "as many messages come as there are buffers" eventually received "$buffers"
check "each sends 50 messages" eventually all_sent
check "all have come" eventually received 800
check "the peers had to wait" told_to_wait
check "no connection has died" peers_are 16 state=established errors=0
