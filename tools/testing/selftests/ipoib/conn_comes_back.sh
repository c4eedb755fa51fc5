#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer has lost its connection without a word, and asks for another: for some seconds
# the other end holds the one that there is for alive, and says so. The peer gets its
# connection when that is over. We, told so, ask again, and what is too long for a datagram
# waits. Somebody who has asked in the name of the peer before, and keeps the connection
# alive, is found out when the peer asks.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks OPTION...: the peer
asks()
{
	cmpeer open "dev=$rdma2" "to=$whom" qpn=0x100 "transport=$transport" && eventually all_decided
}

gets_it()
{
	asks && peers_are 1 state=established
}

# is_asked: by host 1, where a packet of 60000 octets waits
is_asked()
{
	in_ns "$h1" socat -u -b 60000 OPEN:/dev/zero,readbytes=60000 UDP:10.0.0.77:9
	peers_are 1 asked_by=other state=req_rcvd
}

# has_come: it has, by the connection
has_come()
{
	peers_are 1 asked_by=other state=established && peers_are 0 state=established received=0
}

knows_mtu()
{
	[[ $(ip -n "$h1" route get 10.0.0.77) == *" mtu "* ]]
}

# lasts: longer than a request that nobody expects would be believed
lasts()
{
	find_connections 1 state=established && [[ ${found[0]-} =~ age_ms=([0-9]+) ]] &&
		[ "${BASH_REMATCH[1]}" -gt 10000 ]
}

# host_2_asks: and the other end of what host 1 has is not there
host_2_asks()
{
	answers "$h2" 10.0.0.1 && has_connection 1 state=established opened_by=us
}

plan 13
two_hosts
setup connected "rc uc" 1
setup cm_peers
whom=$(lladdr "$h1")
for transport in rc uc; do
	setup asks
	setup eventually has_connection 1 state=established
	cmpeer vanish
	setup asks
	check "$transport: who comes back is told that there is one" \
		peers_are 1 state=refused reason=10 "data=$(own_data 1)"
	check "but not for ever" eventually gets_it
	check "there is one" eventually has_connections 1 1
	setup cmpeer forget
	setup eventually connections_are 1 0

	setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x200 $transport)"
	setup cmpeer listen "dev=$rdma2" qpn=0x200 answer=silent
	setup eventually is_asked
	cmpeer reply answer=rej:10
	check "who is told so asks again" eventually peers_are 1 asked_by=other state=req_rcvd
	cmpeer reply
	check "long packets have waited" eventually has_come
	check "and the stack has learnt nothing" not knows_mtu
	setup cmpeer forget
	setup eventually connections_are 1 0
done

setup ask_host 1 "qpn=$(status "$rdma2" qpn)"
setup eventually has_connection 1 state=established opened_by=peer
# By what the other has opened, which that keeps alive; what answers comes as datagrams.
setup knows "$h1" 10.0.0.2 "$(lladdr "$h2" | sed 's/^../c0/')"
sent=$(counter "$h1" conn_tx_packets)
setup flood "$h1" 10.0.0.2 -i 0.1
setup eventually grew "$h1" conn_tx_packets "$sent"
# Who asked earlier would be refused, and wait longer and longer before it asks again.
setup eventually lasts
setup connected "rc uc" 2
check "one who was first loses it to the host itself" eventually host_2_asks
