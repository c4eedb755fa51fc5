#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A port that gets another LID tells its neighbours, though its address is what it was: what they
# send goes to the old LID, and nobody would tell them until they ask for it themselves.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

lid_is()
{
	[ "$(status "$rdma2" lid)" -eq "$1" ]
}

# tells N WHAT: host 2 does, so often
tells()
{
	cat "$tmp/background.log"
	[ "$(grep -cw "$2" "$tmp/background.log")" -eq "$1" ]
}

# asked: host 1, for a path
asked()
{
	not grep -H 'matched 0 ' "$ibdevsim/mad_rules"
}

gratuitous='arp[28:4] == 0x0a000002 and arp[52:4] == 0x0a000002'
advertised='ip6[40] == 136 and ip6[48:4] == 0xfd000000 and ip6[60:4] == 2'
plan 5
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
setup ib_knob mad_rules "class=3 method=1 attr=0x35 from=$rdma1"
background ip netns exec "$h2" tcpdump -l -n -i ib0 \
	"($gratuitous) or (icmp6 and $advertised)"
setup eventually grep listening "$tmp/background.log"
setup ib_knob "$rdma2/lid" 77
check "the port has another LID" eventually lid_is 77
check "it tells so four times, by ARP" eventually tells 4 ARP
check "and by neighbour discovery" eventually tells 4 ICMP6
check "who has a path there asks for it anew" asked
# It looks at ports that are up for no other reason.
setup reload_sm sm1
check "the SM has the port back at its LID: it tells that, too" eventually tells 8 ARP
