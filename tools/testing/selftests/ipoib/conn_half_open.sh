#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer that never completes the connection it asked for does not hold a place
# for ever, whatever time-outs it asks for. One that has lost its connection
# without a word gets another, in the place of the old one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# each_asks QPN OPTION...: a peer by RC, and another by UC
each_asks()
{
	local whom

	whom=$(lladdr "$h1") &&
		cmpeer open "dev=$rdma2" "to=$whom" "qpn=$1" transport=rc "${@:2}" &&
		cmpeer open "dev=$rdma2" "to=$whom" "qpn=$(($1 + 1))" transport=uc "${@:2}"
}

# gets_it: both do, whichever of their requests it is
gets_it()
{
	each_asks 0x200 && eventually all_decided &&
		peers_are 1 qpn=0x000200 state=established && peers_are 1 qpn=0x000201 state=established
}

# is_told: both peers, by the CM, which knows no private data (RFC 4755, 3.2)
is_told()
{
	peers_are 2 state=refused came=rej reason=28 data=0000000000000000
}

plan 8
two_hosts
setup connected "rc uc" 1
setup cm_peers
# Hours, if it had its way.
setup each_asks 0x100 answer=silent timeout=24 retries=15
check "it is accepted" eventually peers_are 2 state=rep_rcvd
check "it is there" connections_are 1 2
check "it goes by itself" eventually connections_are 1 0
check "the peer is told so, by the CM alone" eventually is_told

setup each_asks 0x200
setup eventually peers_are 2 state=established
setup eventually has_connections 1 2
cmpeer vanish
check "the peer is gone, and nobody has noticed" has_connections 1 2
check "it asks again, and is accepted some time" eventually gets_it
check "the new one replaces the old" eventually connections_are 1 2
check "it is live" eventually has_connections 1 2
