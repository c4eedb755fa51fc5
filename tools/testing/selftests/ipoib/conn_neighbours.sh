#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ARP and neighbour discovery go as datagrams, between nodes that have a connection, too,
# and if they are for one node only.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

reachable()
{
	ip -n "$h1" neigh show to "$1" dev ib0 nud reachable | grep .
}

# replies ADDRESS: host 1 has forgotten it, and asks all. The answer is for it alone, and
# host 2 has nothing else to say
replies()
{
	ip -n "$h1" neigh del "$1" dev ib0 &&
		send_udp "$h1" "$1" 9 1 && eventually reachable "$1"
}

# probes ADDRESS: host 1 makes sure that it is still there, and asks that node alone
probes()
{
	ip -n "$h1" neigh change "$1" dev ib0 nud probe && eventually reachable "$1"
}

plan 6
two_hosts
setup connected rc 1 2
background ip netns exec "$h2" socat -u UDP6-RECV:9,ipv6only=0 /dev/null
setup eventually receives "$h2" 9
for address in 10.0.0.2 fd00::2; do
	check "$address: packets go by the connection" eventually \
		by_connection 2 5000 ping_all "$h1" "$address" -s 1000
	check "the answer does not" by_datagram 2 replies "$address"
	check "nor a question for one node" by_datagram 1 probes "$address"
done
