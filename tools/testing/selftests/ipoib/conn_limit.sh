#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An interface has a limit of connections. While all are in use, who asks is
# told that there is no room; otherwise the one unused for longest makes room.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=64

# full: as many as may be. The place of one that makes room is free only when that one
# is gone; who asked meanwhile was told that there is none.
next=0x10000
full()
{
	local live

	peers_are 0 state=asking || return
	live=$(count_peers state=live)
	echo "$live live"
	# One of them may not have heard yet that it makes room.
	if [ "$live" -eq $limit ]; then
		[ "$(connections 1 | grep -cw state=live)" -eq $limit ]
		return
	fi
	[ "$live" -gt $limit ] || ask_host 1 qpn=$next count=$((limit - live))
	next=$((next + limit))
	return 1
}

within_limit()
{
	local n

	# Those that are closed to make room do not count.
	n=$(connections 1 | grep -vcwE 'state=(closing|dead)')
	echo "$n connections"
	[ "$n" -le $limit ]
}

# busy: all but the first, which is $idlest, are used once more
busy()
{
	local id ids

	mapfile -t ids < <(peers state=live | sed 's/ .*//')
	idlest=${ids[0]}
	for id in "${ids[@]:1}"; do
		cmpeer send "$id" count=1 size=100 || return
	done
	eventually all_but_one_sent
}

all_but_one_sent()
{
	find_lines "$debug/$rdma1.1.ffff/connections" state=live received=0 || return
	[ ${#found[@]} -eq 1 ] && return
	echo "have received nothing:"
	printf '%s\n' "${found[@]}"
	peers state=live
	return 1
}

# all_idle: for a second, until which none makes room
all_idle()
{
	! connections 1 | grep -w state=live | grep 'idle_ms=[0-9]\{1,3\} '
}

# gets_connection: a long packet goes when it is there. Before, the stack would be told
# that it is too long, and send no other for ten minutes
gets_connection()
{
	answers "$h2" 10.0.0.1 && has_connection 2 state=live &&
		ping_all "$h2" 10.0.0.1 -s 20000 -M "do"
}

plan 9
two_hosts
setup connected "rc uc" 1 2
setup cm_peers
setup ask_host 1 qpn=0x1000 count=256
check "256 peers ask, and are answered" eventually all_decided
note "$(count_peers state=live) live, $(count_peers state=ended) made room," \
	"$(count_peers state=refused reason=3) were told that there is none"
check "there are as many connections as may be" eventually full
check "not more" within_limit
check "nobody was left without an answer" \
	peers_are 0 state=failed
setup busy
setup eventually all_idle
setup ask_host 1 qpn=0x2000
check "a new one gets a place" eventually peers_are 1 qpn=0x002000 state=live
check "that of the one unused for longest" \
	eventually peers_are 1 "$idlest" state=ended came=dreq
setup ask_host 1 qpn=0x2001 count=4
setup eventually all_decided
check "the limit is kept" eventually within_limit
check "a host is reached" ping_all "$h2" 10.0.0.1
check "and gets a connection" eventually gets_connection
