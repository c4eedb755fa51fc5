#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# What comes by a connection in pieces of a small MTU goes up to the stack in larger
# ones, as what comes by datagrams does.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

plan 4
two_hosts
setup poll_late "$h2"
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	setup ip -n "$h1" link set ib0 mtu 2044
	setup ping_all "$h1" 10.0.0.2 -s 1000
	setup eventually has_connection 1 transport=$transport state=established
	packets=$(counter "$h2" conn_rx_packets)
	segments=$(snmp "$h2" TcpInSegs)
	check "$transport: $size are sent" by_connection 1 "$size" stream "$size"
	packets=$(($(counter "$h2" conn_rx_packets) - packets))
	segments=$(($(snmp "$h2" TcpInSegs) - segments))
	note "$packets packets, $segments segments"
	# Without GRO each is a segment.
	check "fewer segments, by a quarter at least" \
		[ $((4 * segments)) -lt $((3 * packets)) ]
done
