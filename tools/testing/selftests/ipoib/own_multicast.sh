#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A port hears what it sends to its own groups. The interface keeps that from
# the stack: whatever comes with its own GID and queue pair as the source.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

plan 4
two_hosts
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
background ip netns exec "$h1" socat -u \
	"UDP4-RECV:5000,ip-add-membership=$group:ib0" /dev/null
must "the sender is a member of the group" \
	eventually is_member "$rdma1" $mgid

own=$(counter "$h1" drop_rx_own)
received=$(counter "$h1" rx0_packets)
send_udp "$h1" $group 5000 100
check "its own packets are dropped" \
	eventually grew "$h1" drop_rx_own $((own + 99))
check "and not received" \
	[ $(($(counter "$h1" rx0_packets) - received)) -lt 50 ]

# The same GID, but another queue pair; such an EtherType cannot be mistaken.
unknown=$(counter "$h1" drop_rx_unknown_proto)
setup inject -d "$rdma1" -n 100 -t 0x1234 \
	-a 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
check "those of another queue pair on the port are let in" \
	eventually grew "$h1" drop_rx_unknown_proto $((unknown + 99))
