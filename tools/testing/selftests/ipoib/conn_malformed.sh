#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Messages that come by a connection and are no IPoIB packets are dropped, each counted once,
# by its reason, and the stack gets none.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# says HEX: ten messages
says()
{
	cmpeer send "data=$1" count=10 size=$((${#1} / 2))
}

plan 8
two_hosts
setup quiet_hosts 1 2
setup connected "rc uc" 1
setup cm_peers
for transport in rc uc; do
	setup ask_host 1 qpn=0x123 "transport=$transport"
	setup eventually peers_are 1 state=established
	received=$(counter "$h1" conn_rx_packets)
	check "$transport: half a header" drops_only 1 10 rx_runt says 0800
	check "EtherType 0x1234" drops_only 1 10 rx_unknown_proto says 1234000045000014
	check "a length in place of an EtherType" drops_only 1 10 rx_unknown_proto \
		says 0014000045000014
	check "the stack gets none" not grew "$h1" conn_rx_packets "$received"
	cmpeer forget
	setup eventually connections_are 1 0
done
