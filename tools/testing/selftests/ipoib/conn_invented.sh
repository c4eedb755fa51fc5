#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no shared receive queues
#
# A port asks for connections in the names of two dozen nodes that there are not. All of them
# together have the share of one port, and others find places.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# ask_by_names: 24, one after the other
ask_by_names()
{
	local i name

	name=$(peer_lladdr 2 0x100) || return
	for i in {1..24}; do
		ask_host 1 qpn=$((0x200 + i)) "as=${name%??}$(printf %02x $((0xd0 + i)))" &&
			eventually all_decided && eventually none_half_made || return
	done
}

plan 4
three_hosts
setup connected rc 1 3
setup cm_peers
setup in_ns "$h1" ethtool -L ib0 other 64
setup eventually is_up "$h1"
check "they are told yes or no" ask_by_names
check "a quarter of all places is theirs" peers_are 16 state=established
check "and no more" peers_are 8 state=refused reason=3
check "host 3 has a connection" by_connection 3 large "$h3" 10.0.0.1
