#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer that is asked for a connection accepts with private data that make no
# sense: there is no connection, the peer is told, and what it says later does not
# change that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asked QPN: the first packets may only find the way
asked()
{
	send_udp "$h1" 10.0.0.77 9 1 && not peers_are 0 "qpn=$1" asked_by=other
}

# answers_with QPN OPTION...: what the peer with that QPN says when it is asked
answers_with()
{
	cmpeer listen "dev=$rdma2" "qpn=$1" "${@:2}" &&
		knows "$h1" 10.0.0.77 "$(peer_lladdr 2 "$1" "$transport")" &&
		eventually asked "$1"
}

# each_refused QPN: as often as it was asked, which may be again after a while
each_refused()
{
	peers_are "$(count_peers "qpn=$1" asked_by=other)" "qpn=$1" asked_by=other \
		"transport=${transport^^}" state=refused reason=28 "data=$data"
}

refused()
{
	answers_with "$@" && eventually each_refused "$1"
}

accepted()
{
	answers_with "$@" && eventually peers_are 1 "qpn=$1" asked_by=other state=established
}

plan 12
two_hosts
setup connected "rc uc" 1
setup cm_peers
data=$(own_data 1)
for transport in rc uc; do
	check "$transport: no private data" refused 0x0f0010 data=none
	check "half of them" refused 0x0f0011 data=00000011
	check "the QPN of somebody else" \
		refused 0x0f0012 data=000000990000fff4
	check "a receive MTU that no IP packet fits into" \
		refused 0x0f0013 mtu=71
	check "no connection came of it" eventually connections_are 1 0
	check "what makes sense is accepted" accepted 0x0f0014
	setup cmpeer forget
	setup eventually connections_are 1 0
done
