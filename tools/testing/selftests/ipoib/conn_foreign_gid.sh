#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# The port has another GID than that of the interface, with which it belongs to
# another link. A REQ that comes by it does not open a connection to the interface.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

has_gid()
{
	grep -q ":0077$" "/sys/class/infiniband/$rdma1/ports/1/gids/"*
}

plan 5
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup ip addr add fe80::77/64 dev "$eth1" nodad
setup eventually has_gid
own=$(lladdr "$h1")
before=$(counter "$h1" conn_refused_foreign)
for transport in rc uc; do
	setup cmpeer open "dev=$rdma2" qpn=0x123 transport=$transport \
		"to=${own:0:12}fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:77"
done
check "the foreign GID is refused" eventually peers_are 2 \
	state=refused reason=8 "data=$(own_data 1)"
check "that is counted" grew "$h1" conn_refused_foreign "$before"
check "nothing is kept of it" connections_are 1 0
setup ask_host 1 qpn=0x124
check "the own one is not" eventually peers_are 1 qpn=0x000124 state=established
check "it has a connection" \
	eventually has_connection 1 opened_by=peer state=established
