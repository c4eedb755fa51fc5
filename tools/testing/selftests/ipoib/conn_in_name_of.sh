#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The port of host 3 opens as many connections as one port may have, all in the name of host 2's.
# They are counted against host 3: host 2 gets its own.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=16
share=$((limit / 4))

# asks N QPN: a peer with an address at the port of host 2, by the port of host N
asks()
{
	local rdma=rdma$1

	ask_host 1 "dev=${!rdma}" "qpn=$2" "as=$(peer_lladdr 2 "$2")" && eventually all_decided
}

# gets_one N QPN: when the port may ask again
gets_one()
{
	asks "$1" "$2" && peers_are 1 "qpn=$(printf 0x%06x "$2")" state=established
}

plan 3
three_hosts
setup in_ns "$h1" ethtool -L ib0 other $limit
setup connected "rc uc" 1
setup cm_peers
for ((n = 1; n <= share; n++)); do
	setup eventually gets_one 3 $((0x1000 + n))
	# A sixteenth of the limit may be half-made.
	setup eventually has_connections 1 $n
done
check "host 3 has its share" has_connections 1 $share
setup asks 3 0x2000
check "in whoever's name it asks, it gets no more" peers_are 1 qpn=0x002000 state=refused reason=3
check "host 2 gets a connection" eventually gets_one 2 0x100
