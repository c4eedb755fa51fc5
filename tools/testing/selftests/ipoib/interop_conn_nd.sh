#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for ib_ipoib makes no connections on them
#
# ib_ipoib sends neighbour discovery for one node by its connection. What it says there of itself
# is believed with a Q_Key that takes a privilege, too, which others are not believed with.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks_all N: host N has forgotten the other one, and asks by multicast
asks_all()
{
	local ns=h$1 other=fd00::$((3 - $1))

	forget_neighbours "${!ns}" dev ib0 && ping_all "${!ns}" "$other"
}

# asks_one N: host N makes sure that the other one is still there
asks_one()
{
	local ns=h$1 other=fd00::$((3 - $1))

	ip -n "${!ns}" neigh change "$other" dev ib0 nud probe &&
		eventually is_reachable "${!ns}" "$other"
}

is_reachable()
{
	ip -n "$1" neigh show to "$2" dev ib0 nud reachable | grep .
}

partitions=${partitions/rate=7/rate=7, Q_Key=0x80000b1b}
plan 5
interop_hosts ours
setup interop_connected
setup eventually from_connection 1 300000 large "$h2" 10.0.0.1
check "theirs answers a question to all" asks_all 1
check "and one of its own" asks_one 1
check "theirs asks all" asks_all 2
check "and us alone" asks_one 2
check "nothing of that was dropped" [ "$(counter "$h1" drop_rx_conn_arp)" -eq 0 ]
