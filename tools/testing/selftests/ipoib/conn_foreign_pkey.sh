#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# Both ports are in two partitions. A REQ in one of them does not open a connection to the
# interface in the other, neither if that one is named in it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# ask_red: it comes in one partition and names the other one, at offset 72
ask_red()
{
	ib_knob mad_rules 'class=7 method=3 attr=0x10 match=72:ffff set=72:8001' &&
		cmpeer open "dev=$rdma2" "to=$(lladdr "$h1" red)" qpn=0x126 pkey=0xffff
}

plan 7
partitions+=$red
two_hosts
setup connected "rc uc" 1
setup cm_peers
before=$(counter "$h1" conn_refused_foreign)
setup ask_host 1 qpn=0x123 pkey=0x8001
setup ask_host 1 qpn=0x125 pkey=0x8001 transport=uc
check "the foreign partition is refused" eventually peers_are 2 \
	state=refused reason=8 "data=$(own_data 1)"
check "that is counted" grew "$h1" conn_refused_foreign "$before"
check "nothing is kept of it" connections_are 1 0
setup ask_host 1 qpn=0x124 pkey=0xffff
check "the own one is not" eventually peers_are 1 qpn=0x000124 state=established
check "it has a connection" \
	eventually has_connection 1 opened_by=peer state=established
setup cmpeer forget
setup child 1 0x8001 red
setup child_addresses 1 red
setup eventually is_up "$h1" red
setup ask_red
check "whatever it says, what comes in a partition is of that" \
	eventually peers_are 1 qpn=0x000126 state=refused reason=8
setup ib_knob mad_rules ''
setup cmpeer open "dev=$rdma2" "to=$(lladdr "$h1" red)" qpn=0x127 pkey=0x8001
check "in the other one it has a connection" \
	eventually peers_are 1 qpn=0x000127 state=established
