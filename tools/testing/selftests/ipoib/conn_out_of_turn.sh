#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# CM messages that come when nobody waits for them, of a connection or of none, with and
# without sense. What would end a connection does, whenever it comes; nothing else does
# anything, nor is anything kept of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Of 92 octets that a body has; the others are 0.
ones=$(printf 'ff%.0s' {1..92})

# is_kept: the connection of the peer
is_kept()
{
	has_connection 1 state=established && peers_are 1 state=established
}

# stays MESSAGE: of the connection, and of none
stays()
{
	say_to 1 "$1" "$(peer_id state=established)" &&
		say_to 1 "$1" "$(peer_id state=established)" "data=$ones" &&
		say_to 1 "$1" "data=$ones" && is_kept
}

# asks: host 2 for a datagram, and has no neighbour to look for
asks()
{
	in_ns "$h1" ping -q -c 1 -W 1 10.0.0.2
	peers_are 1 state=req_rcvd
}

# answered_sidr: each question of an unconnected service (IBTA 12.11) to the service ID of
# host 1 is answered, so the CM has let go of it
answered_sidr()
{
	local i before service

	service=$(printf '01000000%08x' "$(status "$rdma1" qpn)")
	before=$(cm_messages 1 tx sidr_rep)
	for i in 1 2 3 4; do
		say_to 1 sidr_req "$(peer_id "qpn=0x00030$i")" "data=$service" || return
	done
	eventually eval "[ \$(cm_messages 1 tx sidr_rep) -ge $((before + 4)) ]"
}

plan 16
two_hosts
setup connected rc 1
setup cm_peers
setup ask_host 1 qpn=0x100
setup eventually is_kept
for message in req mra rep rtu drep sidr_req sidr_rep lap apr; do
	check "$message: the connection stays" stays $message
done
before=$(counter "$h1" conn_rx_packets)
setup cmpeer send count=5
check "it carries messages" eventually grew "$h1" conn_rx_packets $((before + 4))
setup cmpeer forget
setup eventually nothing_of conn

setup ask_host 1 qpn=0x200
setup eventually is_kept
# Of no certain message: that of a REQ is for who has no answer yet.
setup say_to 1 rej "$(peer_id state=established)" data=80
check "REJ, though it is live: it ends" eventually nothing_of conn
setup cmpeer forget

setup ask_host 1 qpn=0x201 answer=silent timeout=24
setup eventually peers_are 1 state=rep_rcvd
qpn=$(find_connections 1 state=rep_sent > /dev/null && grep -o ' qpn=0x[0-9a-f]*' <<< "${found[0]}")
setup say_to 1 dreq "$(peer_id state=rep_rcvd)" "data=${qpn#*x}00"
check "DREQ in place of an RTU: it ends" eventually nothing_of conn
setup cmpeer forget

setup ask_host 1 qpn=0x202 answer=silent timeout=24
setup eventually peers_are 1 state=rep_rcvd
setup cmpeer reply answer=rej:28
check "REJ in place of an RTU: it ends" eventually nothing_of conn
setup cmpeer forget

setup ask_host 1 count=4 qpn=0x301 answer=silent fake=1
check "what is asked of the service otherwise is answered" answered_sidr
setup cmpeer forget

setup stand_in_for 2 rc silent
setup eventually asks
# MRA: 4.096 us * 2^31, more than two hours, to think about the REQ
setup say_to 1 mra "$(peer_id state=req_rcvd)" data=00f8
check "MRA: host 1 does not wait for hours" eventually nothing_of conn
check "nor do its packets" ping_all "$h1" 10.0.0.2
