#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Until a peer has answered, packets do not wait: they go as datagrams. By the
# connection, once there is one. What is too long for datagrams waits, and is dropped if
# there is to be no connection after all. Who gives up the question or will not answer is gone
# for the CM, which says REJ by itself, without the private data of RFC 4755, 3.2.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

received_some()
{
	send_udp "$h1" 10.0.0.2 9 1 && peers_are 0 state=established received=0
}

# asks: there is a request now, of some packet
asks()
{
	send_udp "$h1" 10.0.0.2 9 1 && has_connection 1 state=req_sent
}

# dropped N: while they waited for a connection
dropped()
{
	[ "$(counter "$h1" drop_tx_down)" -eq "$1" ]
}

# too_long: datagrams, in one packet each. A pipe may hand them out in pieces, and a program for
# each would take so long that the request is given up, after 15 s, on RoCE after 7
too_long()
{
	in_ns "$h1" socat -u -b 20000 "OPEN:$tmp/long" UDP4-SENDTO:10.0.0.2:9
}

# asked ADDRESS QPN: a request, of some packet; the identifier of what is to answer it: $peer
asked()
{
	send_udp "$h1" "$1" 9 1 &&
		peer=$(peer_id state=req_rcvd "service=$(printf '0x01%014x' "$2")")
}

# one_is_left QPN: of two requests, that to it, as three octets; and nobody has answered it
one_is_left()
{
	connections_are 1 1 && has_connection 1 state=req_sent "$1"
}

# accepted: another request, when there is one
accepted()
{
	asked 10.0.0.2 "$qpn" && cmpeer reply "$peer"
	peers_are 1 state=established
}

plan 15
two_hosts
setup connected "rc uc" 1
setup cm_peers
for transport in RC UC; do
	setup stand_in_for 2 $transport silent
	check "$transport: pings are answered, by UD" ping_all "$h1" 10.0.0.2
	check "a connection is being asked for" eventually has_connection 1 \
		state=req_sent transport=$transport sent=0
	# It is about to send its request then.
	setup eventually peers_are 1 asked_by=other state=req_rcvd
	cmpeer reply
	check "the peer answers: there is one" eventually peers_are 1 \
		asked_by=other state=established transport=$transport
	check "packets go by it" eventually received_some
	setup cmpeer forget
	setup eventually connections_are 1 0
done

setup stand_in_for 2 RC silent
head -c 60000 /dev/zero > "$tmp/long"
setup eventually asks
setup too_long
check "long packets wait" dropped 0
setup mode datagram 1
check "datagram mode: they are dropped" eventually dropped 3
# IBTA 12.6.7.2: timeout
check "the peer is told by the CM" eventually peers_are 1 state=refused came=rej reason=4
setup cmpeer forget

setup mode connected 1
setup stand_in_for 2 RC silent
setup cmpeer listen "dev=$rdma2" qpn=0xfffff0 answer=silent
setup knows "$h1" 10.0.0.3 "$(peer_lladdr 2 0xfffff0 rc)"
qpn=$(status "$rdma2" qpn)
# That was asked first: if nobody heard of the REJ to the other one, it would be given up first.
setup eventually asked 10.0.0.3 0xfffff0
# An MRA gives it fifteen seconds on RoCE as well.
setup say_to 1 mra "$peer" data=00f8
setup eventually asked 10.0.0.2 "$qpn"
setup cmpeer forget "$peer"
check "a REJ by the CM alone: no answer is waited for" eventually one_is_left ff:ff:f0
check "a ping is answered, by UD" by_datagram 1 ping_all "$h1" 10.0.0.2
check "the peer is asked again, and there is one" eventually accepted
check "packets go by it" eventually received_some
