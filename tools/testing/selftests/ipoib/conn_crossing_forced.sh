#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Requests that cross, RFC 4755 section 3.3, with a peer that knows what it does:
# the one of whoever has the larger link-layer address stands, and there is one
# connection.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# is_asked QPN: the first packet only finds the way
is_asked()
{
	send_udp "$h1" 10.0.0.77 9 1 && peers_are 1 "qpn=$1" state=req_rcvd
}

# cross QPN: host 1 asks the peer, which asks back before it answers
cross()
{
	cmpeer listen "dev=$rdma2" "qpn=$1" answer=silent &&
		knows "$h1" 10.0.0.77 "$(peer_lladdr 2 "$1" "$transport")" &&
		eventually is_asked "$1" &&
		ask_host 1 "qpn=$1" "transport=$transport"
}

# cross_late QPN: it asks back when it has answered, and is answered within the second
# for which that counts as crossing; a machine that is too slow for that tries again
cross_late()
{
	local to began try

	to=$(lladdr "$h1") || return
	for try in {1..10}; do
		cmpeer listen "dev=$rdma2" "qpn=$1" answer=silent &&
			knows "$h1" 10.0.0.77 "$(peer_lladdr 2 "$1" "$transport")" &&
			eventually is_asked "$1" || return
		began=${EPOCHREALTIME/./}
		cmpeer reply &&
			eventually peers_are 1 "qpn=$1" asked_by=other state=established &&
			cmpeer open "dev=$rdma2" "to=$to" "qpn=$1" \
				"transport=$transport" &&
			eventually all_decided || return
		[ $((${EPOCHREALTIME/./} - began)) -gt 950000 ] || return 0
		echo "try $try was too slow"
		forget_all || return
	done
	return 1
}

# one_of OPENER: and no other
one_of()
{
	connections_are 1 1 && has_connection 1 "opened_by=$1" state=established \
		"transport=${transport^^}"
}

# taken QPN: the peer asks again, and is accepted
taken()
{
	ask_host 1 "qpn=$1" "transport=$transport" && eventually all_decided &&
		peers_are 1 "qpn=$1" asked_by=us state=established
}

# forget_all: no connection is left
forget_all()
{
	cmpeer forget && eventually connections_are 1 0
}

plan 20
two_hosts
setup connected "rc uc" 1
setup cm_peers

for transport in rc uc; do
	setup cross 0x000010
	check "$transport: we are larger: the peer's request is refused" \
		eventually peers_are 1 qpn=0x000010 asked_by=us \
		state=refused reason=28 "data=$(own_data 1)"
	cmpeer reply
	check "ours stands" eventually peers_are 1 qpn=0x000010 \
		asked_by=other state=established
	check "there is one connection" eventually one_of us
	setup forget_all

	setup cross_late 0x000010
	check "it is refused, too, when it comes late" \
		eventually peers_are 1 qpn=0x000010 asked_by=us state=refused reason=28
	check "ours still stands" eventually one_of us
	check "some seconds later it is one that has forgotten ours" \
		eventually taken 0x000010
	check "theirs takes its place" eventually one_of peer
	setup forget_all

	setup cross 0xfffff0
	check "we are smaller: the peer's request is accepted" \
		eventually peers_are 1 qpn=0xfffff0 asked_by=us state=established
	check "ours is taken back" eventually peers_are 1 qpn=0xfffff0 \
		asked_by=other state=refused came=rej
	check "there is one connection" eventually one_of peer
	setup forget_all
done
