#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Who can take how much: a peer that takes no connections gets what a datagram holds, in
# fragments, or the sender is told; groups get what the group can.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# told MTU ADDRESS [OPTION...]: host 1 has forgotten what it was told before. A packet
# that must not be cut does not go, and by ICMP the sender learns what would
told()
{
	ip -n "$h1" route flush cache && ip -n "$h1" -6 route flush cache
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 "${@:3}" "$2" 2>&1 | tee -a /dev/stderr |
		grep -E "^From .*(Frag needed|Packet too big).*mtu ?= ?$1"
}

# heard_by_peer GROUP: 8000 octets, of which IPv6 may be told once that they are
# too many
heard_by_peer()
{
	head -c 8000 /dev/zero |
		in_ns "$h1" socat -u -b 8000 - "$1" || return
	busywait 1000 [ -s "$tmp/heard" ]
}

# listen ADDRESS: host 2 does, and writes down what it hears
listen()
{
	rm -f "$tmp/heard"
	background ip netns exec "$h2" socat -u "$1" "CREATE:$tmp/heard"
}

plan 13
two_hosts
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	setup ip -n "$h2" link set ib0 mtu 9000
	check "$transport: to an interface with a smaller MTU" \
		by_connection 1 300000 large "$h1" 10.0.0.2
	check "and back" by_connection 2 300000 large "$h2" 10.0.0.1
	check "TCP" transfer "$h1" "$h2" 10.0.0.2 "$(much 4M)"
done

setup offer "" 2
setup eventually has_connections 1 0
check "to who takes none, in fragments" \
	eventually answers "$h1" 10.0.0.2 -s 60000
check "all of them" large "$h1" 10.0.0.2
check "not to be cut: the sender is told" \
	told 4092 10.0.0.2 -s 20000 -M "do"
check "IPv6: the sender is told" told 4092 fd00::2 -s 20000 -M "do"
check "TCP" transfer "$h1" "$h2" 10.0.0.2 "$(much 4M)"
listen UDP4-RECV:5003,ip-add-membership=239.1.2.3:ib0
check "a group" eventually heard_by_peer \
	UDP4-SENDTO:239.1.2.3:5003,ip-multicast-if=10.0.0.1
listen "UDP6-RECV:5004,ipv6-join-group=[ff12::77]:ib0"
check "IPv6, too" eventually heard_by_peer "UDP6-SENDTO:[ff12::77%ib0]:5004"
