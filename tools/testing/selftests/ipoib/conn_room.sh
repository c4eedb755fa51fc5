#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no shared receive queues
#
# A connection that was used in the last second makes no room for another one. While all
# are in use, who asks is told that there is none.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

next=0x200

# asks: one more peer
asks()
{
	next=$((next + 1))
	cmpeer open "dev=$rdma2" "to=$whom" qpn=$next && eventually all_decided
}

# asked_last WORD...: what became of it
asked_last()
{
	peers_are 1 "qpn=$(printf 0x%06x $next)" "$@"
}

# told: it is refused. All others have been used just before, unless somebody was asleep
# for a second; and if one was closed after all, another is live in its place
told()
{
	local before

	eventually has_connections 1 8 || return
	before=$(peers state=established | cut -d ' ' -f 1)
	cmpeer send count=1 size=100 && asks &&
		asked_last state=refused reason=3 "data=$(own_data 1)" &&
		diff - <(peers state=established | cut -d ' ' -f 1) <<< "$before"
}

# connects N: host 1 asks it
connects()
{
	send_udp "$h1" "10.0.0.7$1" 9 1 && peers_are 1 "qpn=0x00010$1" state=established
}

gets_in()
{
	asks && asked_last state=established
}

plan 3
two_hosts
setup connected "rc uc" 1
setup in_ns "$h1" ethtool -L ib0 other 8
setup cm_peers
whom=$(lladdr "$h1")
for n in 1 2 3 4 5 6 7 8; do
	setup cmpeer listen "dev=$rdma2" qpn=0x10$n
	setup knows "$h1" 10.0.0.7$n "$(peer_lladdr 2 0x10$n)"
	setup eventually connects $n
done
check "all are in use: there is no room, and all stay" eventually told
check "no more than there may be" peers_are 8 state=established
check "one that was not used for a second makes room" eventually gets_in
