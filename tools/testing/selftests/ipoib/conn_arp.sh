#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Address resolution goes by datagrams (RFC 4755, 7): ARP that comes by a connection,
# which who has no privilege may ask for, is dropped, and changes no neighbour.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# forge ETHERTYPE OPERATION: host 2 has moved, the peer says
forge()
{
	local sent

	# Header, hardware InfiniBand, IPv4, 20 and 4 octets
	sent=${1}0000002008001404$2$(tr -d : <<< "$false_address")0a000002
	sent+=$(lladdr "$h1" | tr -d :)0a000001
	cmpeer send "data=$sent" count=1 size=$((${#sent} / 2))
}

# is_dropped ETHERTYPE OPERATION
is_dropped()
{
	drops_only 1 1 rx_conn_arp forge "$@"
}

# neighbour_is LLADDR: host 1 reaches host 2 by it
neighbour_is()
{
	ip -n "$h1" neigh show 10.0.0.2 | tee -a /dev/stderr | grep -qw "$1"
}

plan 6
two_hosts
setup quiet_hosts 1 2
setup connected "rc uc" 1
setup cm_peers
false_address=$(peer_lladdr 2 0x123)
for transport in rc uc; do
	setup ask_host 1 qpn=0x123 "transport=$transport"
	setup eventually peers_are 1 state=established
	# One that an answer would change.
	setup ip -n "$h1" neigh replace 10.0.0.2 lladdr "$(lladdr "$h2")" dev ib0 nud stale
	check "$transport: an ARP reply is dropped" is_dropped 0806 0002
	check "a RARP reply, too" is_dropped 8035 0004
	check "the neighbour is who it was" neighbour_is "$(lladdr "$h2")"
	cmpeer forget
	setup eventually connections_are 1 0
done
