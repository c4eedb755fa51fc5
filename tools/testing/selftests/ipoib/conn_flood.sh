#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# REQs without end, and those that are accepted are never completed; then thousands, as
# fast as they can be sent. A host gets its connection meanwhile, what is kept of them is
# bounded, and the interface goes down as soon as ever.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=64
many=$(much 2000)
# Each that is accepted has a queue pair made and another destroyed, which soft-RoCE takes
# its time for.
on_ib || many=$((many / 16))

# port_asks QPN COUNT: that of host 3, and nobody there answers
port_asks()
{
	ask_host 1 "dev=$rdma3" fake=1 answer=silent timeout=24 "qpn=$1" "count=$2"
}

# asks_on: for as long as it may, some hundred a second
asks_on()
{
	local qpn=0x10000

	while [ -e "$tmp/flood" ]; do
		port_asks $qpn 10 || rm -f "$tmp/flood"
		qpn=$((qpn + 10))
		nap
	done
}

# bounded: what one port has half made, by a sixteenth of the limit, what it has, by a
# quarter, and four more of it are being closed. The host has a connection or two
bounded()
{
	find_connections 1 state=rep_sent && [ ${#found[@]} -le $((limit / 16 + 1)) ] &&
		[ ${#all[@]} -le $((limit / 4 + 4 + 2)) ]
}

flood_reqs()
{
	port_asks "$1" "$many" && bounded
}

gets_connection()
{
	ping_all "$h2" 10.0.0.1 && has_connection 2 state=established
}

# gets_it_meanwhile: not when they have come to an end
gets_it_meanwhile()
{
	eventually gets_connection && [ -e "$tmp/flood" ]
}

plan 8
three_hosts
setup connected "rc uc" 1 2
setup cm_peers
touch "$tmp/flood"
asks_on > /dev/null 2>&1 &
asker=$!
defer wait $asker
defer rm -f "$tmp/flood"
setup eventually not connections_are 1 0
check "a host gets its connection while others keep asking" gets_it_meanwhile
rm -f "$tmp/flood"
wait $asker
setup cmpeer forget

check "$many REQs" flood_reqs 0x10000
check "another $many" flood_reqs 0x20000
check "all are answered" eventually all_decided
check "what is kept of them is bounded" bounded
# QP1 drops what it has no buffer for, on a slow machine nearly half of them.
note "$(count_peers state=rep_rcvd) accepted, $(count_peers state=refused) refused," \
	"$(count_peers state=failed) lost"
check "the host has its connection" eventually gets_connection
setup port_asks 0x30000 "$many"
check "the interface goes down" within 40 ip -n "$h1" link set ib0 down
check "nothing is left" eventually nothing_of conn
