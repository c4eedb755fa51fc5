#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Requests cross, RFC 4755 section 3.3, and the refusal of ours comes before the
# request of the peer, which has the larger address: packets that are too long for UD
# wait for that, and the stack does not learn a smaller MTU of the way.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# is_asked: the first packet only finds the way
is_asked()
{
	send_udp "$h1" 10.0.0.77 9 1 && peers_are 1 asked_by=other state=req_rcvd
}

# refused: host 1 has asked the peer, and a long packet waits, when it is refused
refused()
{
	cmpeer listen "dev=$rdma2" qpn=0xfffff0 answer=silent &&
		knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0xfffff0 "$transport")" &&
		eventually is_asked &&
		in_ns "$h1" socat -u -b 60000 OPEN:/dev/zero,readbytes=60000 \
			UDP:10.0.0.77:9 &&
		cmpeer reply answer=rej:28
}

# then_asked: and the peer asks, before we give up waiting for that
then_asked()
{
	eventually has_connection 1 state=yielded && cmpeer open "dev=$rdma2" \
		"to=$self" qpn=0xfffff0 "transport=$transport"
}

knows_mtu()
{
	[[ $(ip -n "$h1" route get 10.0.0.77) == *" mtu "* ]]
}

forget_all()
{
	cmpeer forget && eventually connections_are 1 0
}

plan 12
two_hosts
setup connected "rc uc" 1
setup cm_peers
self=$(lladdr "$h1")
for transport in rc uc; do
	setup refused
	check "$transport: refused, we wait for the peer to ask" then_asked
	check "the long packet goes by theirs" eventually peers_are 1 \
		asked_by=us state=established received=1
	check "there is no other" eventually connections_are 1 1
	check "the stack has learnt nothing" not knows_mtu
	setup forget_all

	setup refused
	check "it does not ask: the stack learns what goes by UD" eventually knows_mtu
	check "there is no connection" eventually connections_are 1 0
	setup forget_all
	setup ip -n "$h1" route flush cache
done
