#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer asks more than it takes answers to: forty pings and more, and eight answers, in
# 0.9 s. All answers come from one socket of the kernel. Those to others do not wait: host 2
# gets more of them than that peer has taken.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

pings=300

# connects: the first packets go as datagrams
connects()
{
	send_udp "$h1" 10.0.0.77 9 1 && peers_are 1 qpn=0x000100 state=established
}

# request OCTETS: a ping of 10.0.0.77 to 10.0.0.1, of zeroes behind these 32
request()
{
	local word sum=0 words=(4500 "$(printf '%04x' "$1")" 0000 0000 4001 0a00 004d 0a00 0001)

	for word in "${words[@]}"; do
		sum=$((sum + 0x$word))
	done
	sum=$(((sum >> 16) + (sum & 0xffff) ^ 0xffff))
	printf '08000000%s%s%s%s%s%04x%s0800f7ff00000000' "${words[@]:0:5}" $sum \
		"${words[5]}${words[6]}${words[7]}${words[8]}"
}

# asks_on: for as long as the test runs
asks_on()
{
	while cmpeer send "data=$(request 1028)" count=40 size=1032 && cmpeer take count=8; do
		read -rt 0.9 -u "$silence"
	done
}

# taken: answers by the greedy peer
taken()
{
	find_lines $cmpeer/connections qpn=0x000100 state=established &&
		[[ ${found[0]-} =~ received=([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# takes_some: and so they are sent
takes_some()
{
	[ "$(taken)" -ge 16 ]
}

# others_first: all answers to host 2 arrive before the peer has taken as many
others_first()
{
	local before now

	before=$(taken) && ping_all "$h2" 10.0.0.1 -i 0 -c "$pings" && now=$(taken) || return
	echo "it has taken $((now - before)) messages meanwhile"
	[ $((now - before)) -lt "$pings" ]
}

# too_many: more than may wait for it. Or what waits is held against the socket, which
# refuses more, and those to others
too_many()
{
	grew "$h1" conn_tx_stops "$stops" &&
		{ grew "$h1" drop_tx_stalled "$stalled" || [ "$(errors)" -gt "$refused" ]; }
}

errors()
{
	snmp "$h1" IcmpOutErrors
}

plan 7
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup cmpeer listen "dev=$rdma2" qpn=0x100 recv=0
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
setup eventually connects
refused=$(errors)
stops=$(counter "$h1" conn_tx_stops) stalled=$(counter "$h1" drop_tx_stalled)
setup cmpeer send "data=$(request 1028)" count=1000 size=1032
asks_on &
defer end_job $!
must "it is sent answers" eventually takes_some
must "and asks for more than may wait" eventually too_many
check "the queue of the interface is open" queue_is_open "$h1"
check "answers to host 2 do not wait" others_first
setup connected "rc uc" 2
setup eventually large "$h2" 10.0.0.1
check "also by a connection" others_first
check "none could not be sent" [ "$(errors)" = "$refused" ]
check "the peer is still connected" peers_are 1 qpn=0x000100 state=established
