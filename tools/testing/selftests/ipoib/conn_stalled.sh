#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two peers take nothing that is sent by their connections. What is more than may wait
# for one is dropped, and counted, and others do not wait for it. Both are
# given up some time: the one after ten seconds, and later that of which the ring is not
# full, for it takes two looks at all connections, which are ten seconds apart.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# connects ADDRESS QPN: the first packets go as datagrams
connects()
{
	send_udp "$h1" "$1" 9 1 && peers_are 1 "qpn=$2" state=established
}

# stalls: 600 packets are more than a ring holds, and may wait for it
stalls()
{
	send_udp "$h1" 10.0.0.77 9 600 && grew "$h1" drop_tx_stalled "$dropped"
}

# stall: both do, soon enough after such a look for the other one to be the next but one:
# the first is ten seconds after connected mode begins
stall()
{
	local begin

	mode datagram 1 && cmpeer forget &&
		cmpeer listen "dev=$rdma2" qpn=0x100 recv=0 &&
		cmpeer listen "dev=$rdma2" qpn=0x200 recv=0 || return
	dropped=$(counter "$h1" drop_tx_stalled)
	knows "$h1" 10.0.0.78 "$second" && knows "$h1" 10.0.0.77 "$first" || return
	begin=${EPOCHREALTIME/./}
	ip -n "$h1" link set ib0 type ipoib mode connected &&
		eventually connects 10.0.0.78 0x000200 &&
		send_udp "$h1" 10.0.0.78 9 3 &&
		eventually connects 10.0.0.77 0x000100 && eventually stalls &&
		[ $((${EPOCHREALTIME/./} - begin)) -lt 8000000 ]
}

# given_up: by a host that goes on sending
given_up()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 qpn=0x000100 state=ended came=dreq received=0
}

# given_up_first: and the other is not yet. Who sends too late finds that the second look
# has ended both; then both stall once more
given_up_first()
{
	eventually given_up || return
	peers_are 1 qpn=0x000200 state=established || { eventually stall; return 1; }
}

plan 7
two_hosts
setup connected "rc uc" 2
setup cm_peers
first=$(peer_lladdr 2 0x100) second=$(peer_lladdr 2 0x200)
# They tell each packet to come again later, for ever.
check "more than may wait: packets are dropped" busywait $((3 * patience)) stall
check "they have taken none" peers_are 2 asked_by=other state=established received=0
check "others go on" large "$h1" 10.0.0.2
check "by a connection" has_connection 1 state=established \
	"$(lladdr "$h2" | cut -c 4-)"
check "that one is given up, and the other is not yet" \
	busywait $((3 * patience)) given_up_first
check "it is asked for anew" eventually connects 10.0.0.77 0x000100
check "the other is given up, too" eventually peers_are 1 qpn=0x000200 \
	state=ended came=dreq received=0
