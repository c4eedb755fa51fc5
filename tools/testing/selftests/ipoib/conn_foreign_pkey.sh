#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# Both ports are in two partitions. A REQ in one of them does not open a
# connection to the interface in the other.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
partitions+=$red
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup ask_host 1 qpn=0x123 pkey=0x8001
setup ask_host 1 qpn=0x125 pkey=0x8001 transport=uc
check "the foreign partition is refused" eventually peers_are 2 \
	state=refused reason=8 "data=$(own_data 1)"
check "nothing is kept of it" connections_are 1 0
setup ask_host 1 qpn=0x124 pkey=0xffff
check "the own one is not" eventually peers_are 1 qpn=0x000124 state=established
check "it has a connection" \
	eventually has_connection 1 opened_by=peer state=established
