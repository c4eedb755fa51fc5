#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Until a peer has answered, packets do not wait: they go as datagrams. By the
# connection, once there is one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

received_some()
{
	send_udp "$h1" 10.0.0.2 9 1 && peers_are 0 state=live received=0
}

plan 8
two_hosts
setup connected "rc uc" 1
setup cm_peers
for transport in RC UC; do
	setup stand_in_for 2 $transport silent
	check "$transport: pings are answered, by UD" ping_all "$h1" 10.0.0.2
	check "a connection is being asked for" eventually has_connection 1 \
		state=asked transport=$transport sent=0
	# It is about to send its request then.
	setup eventually peers_are 1 asked_by=other state=asked
	cmpeer reply
	check "the peer answers: there is one" eventually peers_are 1 \
		asked_by=other state=live transport=$transport
	check "packets go by it" eventually received_some
	setup cmpeer forget
	setup eventually connections_are 1 0
done
