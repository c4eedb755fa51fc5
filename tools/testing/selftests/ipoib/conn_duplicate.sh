#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer has one connection by the service ID of RFC 4755, and two by that of ib_ipoib, by
# which only it sends. One more REQ is refused while it has them, and replaces one that
# has been silent for some seconds.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks SERVICE QPN: while those that are connected are heard of
asks()
{
	cmpeer send count=1 size=100 &&
		cmpeer open "dev=$rdma2" "to=$whom" "service=$1" "qpn=$2" "transport=$transport" &&
		eventually all_decided
}

# fills SERVICE QPN: all places. Both ends know that one is live before there is another:
# until then there is no DREQ to end it, but a REJ
fills()
{
	local n

	for ((n = 1; n <= places[$1]; n++)); do
		asks "$@" && peers_are $n "qpn=$2" state=established &&
			eventually has_connections 1 $n || return
	done
}

# replaced SERVICE QPN: one more is accepted
replaced()
{
	asks "$@" && peers_are 1 "qpn=$2" state=established
}

# told QPN: the one that had to leave
told()
{
	[ "$(count_peers "qpn=$1" state=vanished came=dreq)" -ge 1 ]
}

declare -A places=([rfc]=1 [linux]=2)

plan 16
two_hosts
setup connected "rc uc" 1
setup cm_peers
# Three seconds after a packet a connection is not live any more: no program is started meanwhile.
whom=$(lladdr "$h1")
for transport in rc uc; do
	for service in rfc linux; do
		setup fills $service 0x000100
		setup asks $service 0x000100
		check "$transport, $service: one more is refused" \
			peers_are 1 qpn=0x000100 state=refused reason=10
		check "the others stay" \
			peers_are "${places[$service]}" qpn=0x000100 state=established
		cmpeer vanish
		check "the peer says nothing more: one is replaced" \
			eventually replaced $service 0x000100
		check "it was told" eventually told 0x000100
		setup cmpeer forget
		setup eventually connections_are 1 0
	done
done
