#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# With opener-sends a host sends by those connections over RC only that it has asked for:
# between two such hosts there are two. Who asks in the name of another host gets nothing of
# what is for that. UC connections carry packets both ways all the same.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# each_its_own N: what it has sent it has sent by its own
each_its_own()
{
	has_connections "$1" 2 && has_connection "$1" opened_by=us state=established &&
		has_connection "$1" opened_by=peer state=established sent=0
}

# asks_first: host 2, whose packets nobody answers
asks_first()
{
	send_udp "$h2" 10.0.0.1 5000 1 && has_connection 2 state=established opened_by=us
}

plan 12
two_hosts
setup connected rc 1 2
setup private_flag opener-sends on 1 2
check "packets go by connections" eventually by_connection 1 300000 \
	by_connection 2 300000 large "$h1" 10.0.0.2
check "each host sends by its own" eventually each_its_own 1
check "and receives by that of the other" eventually each_its_own 2
check "it is still so a transfer later" by_connection 1 1M \
	transfer "$h1" "$h2" 10.0.0.2 2M
check "there are no others" each_its_own 1

setup mode datagram 2
setup eventually connections_are 1 0
setup cm_peers
setup ask_host 1 "qpn=$(status "$rdma2" qpn)"
setup eventually has_connection 1 opened_by=peer state=established
setup knows "$h1" 10.0.0.2 "$(peer_lladdr 2 "$(status "$rdma2" qpn)")"
check "what is for host 2 goes there" ping_all "$h1" 10.0.0.2
check "and nothing to who has asked in its name" peers_are 1 state=established received=0
setup cmpeer forget
setup ip -n "$h1" neigh del 10.0.0.2 dev ib0

setup private_flag opener-sends off 1 2
setup connected rc 1 2
setup eventually by_connection 1 300000 by_connection 2 300000 large "$h1" 10.0.0.2
check "off: there is one for both ways" eventually has_connections 1 1
qpn=$(qpn_of 1)
setup private_flag opener-sends on 1 2
check "on: that is closed" eventually not has_connection 1 "$qpn"
setup connected uc 1 2
check "UC: packets go by a connection" eventually by_connection 1 300000 \
	by_connection 2 300000 large "$h1" 10.0.0.2
check "one for both ways" eventually has_connections 1 1

setup private_flag opener-sends off 2
setup mode datagram 1 2
setup eventually nothing_of conn
background ip netns exec "$h1" socat -u UDP4-RECV:5000 /dev/null
setup eventually receives "$h1" 5000
setup connected rc 1 2
setup eventually asks_first
check "at one end: it sends datagrams to who was first" by_datagram 1 \
	by_connection 2 300000 large "$h2" 10.0.0.1
