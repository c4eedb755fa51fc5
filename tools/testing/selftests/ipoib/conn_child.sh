#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# A child has connections of its own, in its partition, whatever mode its parent is in:
# they are asked for with its P_Key, and go where that of the parent does not.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# change N NAME MODE
change()
{
	local ns=h$1

	ip -n "${!ns}" link set "$2" type ipoib mode "$3"
}

# grows_by COUNTER OCTETS COMMAND...: that of the child of host 1
grows_by()
{
	local before

	before=$(counter "$h1" "$1" red)
	"${@:3}" && grew "$h1" "$1" $((before + $2)) red
}

# requests: service IDs and P_Keys of those that were sent
requests()
{
	decode infiniband.cm.req.serviceid infiniband.cm.req.serviceid \
		infiniband.cm.req.pkey | sort -u
}

plan 8
partitions+=$red
ib_hosts 2
for n in 1 2; do
	setup child $n 0x8001 red
	setup child_addresses $n red
	setup change $n red connected
done
setup eventually is_up "$h1" red
setup eventually is_up "$h2" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
service=0x0100000000$(lladdr "$h2" red | cut -d: -f2-4 | tr -d :)
setup capture
check "60000 octets in one piece" eventually answers "$h1" 10.1.0.2 -s 60000 -M "do"
check "to the child, with its P_Key" \
	diff - <(printf '%s\t0x8001\n' "$service") < <(requests)
pkey=8001 check "the child has a connection, RC as both take that" \
	has_connection 1 state=established opened_by=us transport=RC
check "it goes by that" grows_by conn_tx_bytes 300000 large "$h1" 10.1.0.2
check "and comes by it" grows_by conn_rx_bytes 300000 large "$h1" 10.1.0.2
check "the parent sends datagrams" by_datagram 1 ping_all "$h1" 10.0.0.2
setup mode connected 1 2
check "or has a connection of its own" eventually by_connection 1 300000 \
	large "$h1" 10.0.0.2
setup change 1 red datagram
check "and keeps it when the child has none" by_connection 1 300000 large "$h1" 10.0.0.2
