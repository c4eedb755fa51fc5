#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# An interface has a limit of connections, and those that one port asks for have a quarter
# of it. While all are in use, who asks is told that there is no room; otherwise the one
# unused for longest makes room.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=16
share=$((limit / 4))

# port_asks OPTION...: that of host 3
port_asks()
{
	ask_host 1 "dev=$rdma3" "$@"
}

# one_asks QPN: and is answered before another one does
one_asks()
{
	port_asks "qpn=$1" && eventually all_decided
}

# gets_one QPN: when the port may ask again
gets_one()
{
	one_asks "$1" && peers_are 1 "qpn=$(printf 0x%06x "$1")" state=established
}

within_share()
{
	find_connections 1 state=established && [ ${#found[@]} -le $share ]
}

# connects N: host 1 asks the Nth of many
connects()
{
	send_udp "$h1" "10.0.0.$((100 + $1))" 9 1 &&
		peers_are 1 "qpn=$(printf 0x%06x $((0x200 + $1)))" state=established
}

# ask N: it is there to be asked
ask()
{
	cmpeer listen "dev=$rdma3" "qpn=$((0x200 + $1))" &&
		knows "$h1" "10.0.0.$((100 + $1))" "$(peer_lladdr 3 $((0x200 + $1)))" &&
		eventually connects "$1"
}

within_limit()
{
	local n

	# Those that are closed to make room do not count.
	n=$(connections 1 | grep -vcwE 'state=(draining|dre[qp]_[a-z]+|disconnecting|flushing|dead)')
	echo "$n connections"
	[ "$n" -le $limit ]
}

# busy: all but the first, which is $idlest, are used once more
busy()
{
	local id ids

	mapfile -t ids < <(peers state=established | sed 's/ .*//')
	idlest=${ids[0]}
	for id in "${ids[@]:1}"; do
		cmpeer send "$id" count=1 size=100 || return
	done
	eventually all_but_one_sent
}

all_but_one_sent()
{
	find_lines "$debug/$rdma1.1.ffff/connections" state=established received=0 || return
	[ ${#found[@]} -eq 1 ] && return
	echo "have received nothing:"
	printf '%s\n' "${found[@]}"
	peers state=established
	return 1
}

# all_idle: for a second, until which none makes room
all_idle()
{
	! connections 1 | grep -w state=established | grep 'idle_ms=[0-9]\{1,3\} '
}

# gets_connection: a long packet goes when it is there. Before, the stack would be told
# that it is too long, and send no other for ten minutes
gets_connection()
{
	answers "$h2" 10.0.0.1 && has_connection 2 state=established &&
		ping_all "$h2" 10.0.0.1 -s 20000 -M "do"
}

plan 11
three_hosts
setup in_ns "$h1" ethtool -L ib0 other $limit
setup connected "rc uc" 1 2
setup cm_peers
setup port_asks qpn=0x1000 count=256
check "256 peers on a port ask, and are answered" eventually all_decided
note "$(count_peers state=established) live, $(count_peers state=refused) refused"
check "nobody was left without an answer" eventually peers_are 0 state=failed
check "a quarter of all connections at most are theirs" eventually within_share
# Of many at a time some made room for others while they were being made, and need not know.
setup cmpeer forget
setup eventually connections_are 1 0
for ((n = 1; n <= share; n++)); do
	setup eventually gets_one $((0x1000 + n))
	# A sixteenth of the limit may be half-made.
	setup eventually has_connections 1 $n
done
check "when they ask one after the other, a quarter is" eventually has_connections 1 $share
before=$(counter "$h1" conn_refused_full)
setup port_asks qpn=0x2000
check "one more is told that there is no room" eventually peers_are 1 qpn=0x002000 \
	state=refused reason=3
check "which is counted" grew "$h1" conn_refused_full "$before"
for ((n = 1; n <= limit - share; n++)); do
	setup ask $n
done
check "host 1 asks for the others: there are as many as may be" \
	eventually has_connections 1 $limit
setup busy
setup eventually all_idle
check "a new one gets a place" ask $n
check "that of the one unused for longest" \
	eventually peers_are 1 "$idlest" state=ended came=dreq
check "the limit is kept" eventually within_limit
check "another host gets a connection" eventually gets_connection
