#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: profiles
#
# A completion queue breaks: that of sends, that of receives, or one that connections
# share. The interface makes others, and tells its neighbours of its new address.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ud_qpn()
{
	echo $((0x$(lladdr "$1" | cut -d: -f2-4 | tr -d :)))
}

few_queues()
{
	cat "$ibdevsim/$rdma1/objects"
	[ "$(sed -n 's/^cq //p' "$ibdevsim/$rdma1/objects")" -le 6 ]
}

# breaks KNOB QPN
breaks()
{
	ib_knob "$rdma1/$1" "$2"
}

another_qpn()
{
	[ "$(ud_qpn "$h1")" -ne "$qpn" ] && is_up "$h1"
}

reached()
{
	ping_all "$h1" 10.0.0.2 -w 2 && ping_all "$h2" 10.0.0.1 -w 2
}

# connection's: the queue pair of host 1 that is connected
conn_qpn()
{
	local qpn type rest

	while read -r qpn _ type rest; do
		[ "$type" != 2 ] || echo "$qpn"
	done < "$ibdevsim/$rdma1/qps" | head -n 1
}

plan 8
ib_hosts 2
setup eventually reached
for what in send recv; do
	qpn=$(ud_qpn "$h1")
	setup breaks ${what}_cq_error "$qpn"
	check "$what: there is another queue pair" eventually another_qpn
	check "$what: both reach each other" eventually reached
done
setup connected rc 1 2
check "a connection" by_connection 1 300000 large "$h1" 10.0.0.2
for what in send recv; do
	setup breaks ${what}_cq_error "$(conn_qpn)"
	check "$what of connections: there are others" \
		eventually by_connection 1 60000 ping_each "$h1" 10.0.0.2 -w 5 -s 20000
done
check "no completion queue is left over" eventually few_queues
