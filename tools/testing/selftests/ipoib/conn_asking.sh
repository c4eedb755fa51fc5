#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Until a peer has answered, packets do not wait: they go as datagrams. By the
# connection, once there is one. What is too long for datagrams waits, and is dropped if
# there is to be no connection after all.

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

# too_long N: datagrams, in one packet each. A pipe may hand them out in pieces, and a
# program for each would take so long that the request is given up, after 15 s
too_long()
{
	head -c $((20000 * $1)) /dev/zero > "$tmp/long" &&
		in_ns "$h1" socat -u -b 20000 "OPEN:$tmp/long" UDP4-SENDTO:10.0.0.2:9
}

plan 10
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
setup eventually asks
setup too_long 3
check "long packets wait" dropped 0
setup mode datagram 1
check "datagram mode: they are dropped" eventually dropped 3
