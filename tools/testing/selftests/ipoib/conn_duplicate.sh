#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer has one connection by each kind of service ID: its second REQ replaces
# the first.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# twice SERVICE QPN: ask twice, the second time when both ends know that the first is
# live: until then there is no DREQ to end it, but a REJ
twice()
{
	ask_host 1 "service=$1" "qpn=$2" "transport=$transport" &&
		eventually peers_are 1 "qpn=$2" state=live &&
		eventually has_connection 1 "service=$1" state=live &&
		ask_host 1 "service=$1" "qpn=$2" "transport=$transport" &&
		eventually all_decided
}

# replaced QPN: of two one is there
replaced()
{
	peers_are 1 "qpn=$1" state=live &&
		peers_are 1 "qpn=$1" state=ended came=dreq
}

plan 8
two_hosts
setup connected "rc uc" 1
setup cm_peers
for transport in rc uc; do
	setup twice rfc 0x000100
	check "$transport: the second one is live, the first one was told" \
		eventually replaced 0x000100
	check "there is one" eventually connections_are 1 1
	setup twice linux 0x000200
	check "by Linux's service ID, too" eventually replaced 0x000200
	check "there are two" eventually connections_are 1 2
	setup cmpeer forget
	setup eventually connections_are 1 0
done
