#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Nobody knows host 2 yet, and the port of host 3 opens two connections in its name, by which
# only the other end sends. When host 2 itself asks, and it is known where it is, it gets one,
# and those of the other port go.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks N: a peer with the address of host 2's, on the port of host N, while all send
asks()
{
	local rdma=rdma$1

	cmpeer send count=1 size=100 &&
		cmpeer open "dev=${!rdma}" "to=$whom" qpn=0x100 "as=$as" service=linux &&
		eventually all_decided
}

# is_known: host 1 has looked for a path to it
is_known()
{
	in_ns "$h1" ping -q -c 1 -W 1 10.0.0.77
	grep "^80:00:01:00:.* state=ready" "$debug/$rdma1.1.ffff/peers"
}

# has_one: and it is the last that was opened
has_one()
{
	cmpeer send count=1 size=100
	has_connections 1 1 && peers_are 1 state=established
}

plan 3
three_hosts
setup cm_peers
whom=$(lladdr "$h1") as=$(peer_lladdr 2 0x100)
setup asks 3
setup asks 3
check "in the name of a node that nobody knows" eventually has_connections 1 2
setup knows "$h1" 10.0.0.77 "$as"
must "then it is known" eventually is_known
setup asks 2
check "the node itself gets a connection, and it is the only one" eventually has_one
