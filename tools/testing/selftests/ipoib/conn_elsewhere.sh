#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A port asks for a connection in the name of a node that is elsewhere: it is refused if that
# is known. If not, nothing is sent by the connection until it is; then it is closed, and the
# node itself asked.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks_for_2: the port of host 3 in the name of host 2
asks_for_2()
{
	ask_host 1 "dev=$rdma3" "as=$(lladdr "$h2")" "transport=$transport"
}

# is_refused: on RoCE the REJ goes to where the node would be
is_refused()
{
	! on_ib || peers_are 1 state=refused reason=12 || return
	grew "$h1" conn_refused_elsewhere "$before"
}

# found_out: by the first packets that host 1 sends, of which it gets none
found_out()
{
	peers_are 1 state=ended came=dreq received=0
}

on_ib && results=8 || results=4
plan "$results"
three_hosts
setup cm_peers
for transport in rc uc; do
	setup connected $transport 1 2
	setup large "$h1" 10.0.0.2
	setup mode datagram 2
	setup eventually connections_are 1 0
	before=$(counter "$h1" conn_refused_elsewhere)
	setup asks_for_2
	check "$transport: known to be elsewhere, it is refused" eventually is_refused
	check "nothing is kept of it" eventually connections_are 1 0
	setup cmpeer forget
	on_ib || continue

	# Nobody knows host 2 any more, its address does not have to be asked for, and host 2 does
	# not ask whether host 1 is still there.
	setup mode connected 2
	setup knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
	setup ip -n "$h1" link set ib0 down
	setup ip -n "$h1" link set ib0 up
	setup eventually is_up "$h1"
	setup knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
	setup asks_for_2
	setup eventually has_connection 1 state=established opened_by=peer
	check "not known, long packets go to the node all the same" large "$h1" 10.0.0.2
	check "and it is found out" eventually found_out
	setup cmpeer forget
	setup ip -n "$h2" neigh del 10.0.0.1 dev ib0
	setup mode datagram 1 2
done
