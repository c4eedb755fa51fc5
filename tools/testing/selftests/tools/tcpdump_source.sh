#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tcpdump writes says whose port a packet was sent by, as far as the packet does: a broadcast,
# and what is sent itself. In cooked frames there is room for eight octets, the GUID of the port.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# shows TYPE NS FROM: tcpdump on host 1 has written a ping of that type to all, from that address
# and by the port of the host there
shows()
{
	local guid

	guid=$(lladdr "$2" | cut -d : -f 13- | tr -d :)
	in_ns "$2" ping -q -c 1 -W 0.2 -b 10.0.0.255 > /dev/null 2>&1
	tshark -r "$tmp/pcap" -T fields -e sll.pkttype -e sll.src.other -e sll.etype -e ip.src \
		icmp.type == 8 | tr -d : | tee -a /dev/stderr |
		grep -P "^$1\t$guid\t0x0800\t$3$"
}

plan 2
ib_hosts 2
background ip netns exec "$h1" tcpdump -n -U -w "$tmp/pcap" -i ib0 icmp
setup eventually grep listening "$tmp/background.log"
check "a broadcast: its sender, and that it is IP" eventually shows 1 "$h2" 10.0.0.2
check "what is sent: oneself" eventually shows 4 "$h1" 10.0.0.1
