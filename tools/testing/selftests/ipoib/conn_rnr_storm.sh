#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan profiles
# HCAs: not irdma, for they have no shared receive queues
#
# 16 peers send to one host at once, whose HCA takes no more buffers for a while: they wait, every
# message arrives, and no connection dies of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# received N: messages of all connections
received()
{
	connections 1 | sed 's/.* received=\([0-9]*\).*/\1/' |
		awk -v n="$1" '{ sum += $1 } END { print sum; exit sum != n }'
}

# told_to_wait: peers, by NAKs that say "receiver not ready", and to try again in 0.64 ms
told_to_wait()
{
	decode 'infiniband.aeth.syndrome.opcode == 1' \
		infiniband.aeth.syndrome.timer | sort | uniq -c > "$tmp/timers" &&
		tee -a /dev/stderr < "$tmp/timers" |
		awk '$2 != 12 { other = 1 } END { exit other || !NR }'
}

plan 6
ib_hosts 2
setup one_queue 1
setup connected "rc uc" 1
setup cm_peers
for ((i = 0; i < 16; i++)); do
	setup ask_host 1 qpn=$((0x100 + i))
	setup eventually all_decided
	setup eventually none_half_made
done
check "16 connections" eventually peers_are 16 state=established
setup capture "$eth2"
buffers=$(status "$rdma1" conn_buffers_posted)
setup [ "$buffers" -gt 16 ]
setup ib_knob "$rdma1/fail_post_recv" -1
cmpeer send count=50 size=4000
check "as many messages come as there are buffers" eventually received "$buffers"
setup ib_knob "$rdma1/fail_post_recv" 0
check "each sends 50 messages" eventually peers_are 16 state=established sent=50
check "all have come" eventually received 800
check "the peers had to wait" told_to_wait
check "no connection has died" peers_are 16 state=established errors=0
