#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: stock
#
# Multicast between this driver and ib_ipoib, in groups that either made.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# listen N LISTENER GROUP: host N joins the group and writes down what it hears
listen()
{
	local ns=h$1

	rm -f "$tmp/heard"
	background ip netns exec "${!ns}" socat -u "$2,$3:ib0" \
		"CREATE:$tmp/heard"
}

# hears: the last of some datagrams; the first may be lost
hears()
{
	send_udp "$@" 20
	grep -x 20 "$tmp/heard"
}

plan 6
interop_hosts ours
for ns in "$h1" "$h2"; do
	setup ip -n "$ns" route add 239.0.0.0/8 dev ib0
done
listen 1 UDP4-RECV:5000 ip-add-membership=239.1.2.3
check "IPv4, our group" eventually hears "$h2" 239.1.2.3 5000
listen 2 UDP4-RECV:5000 ip-add-membership=239.3.4.5
check "IPv4, their group" eventually hears "$h1" 239.3.4.5 5000
listen 1 UDP6-RECV:5001 'ipv6-join-group=[ff15::1234]'
check "IPv6, our group" eventually hears "$h2" ff15::1234 5001
listen 2 UDP6-RECV:5001 'ipv6-join-group=[ff15::5678]'
check "IPv6, their group" eventually hears "$h1" ff15::5678 5001
listen 2 UDP4-RECV:5002 ip-add-membership=239.1.2.3
check "IPv4, they join our group" eventually hears "$h1" 239.1.2.3 5002
listen 1 UDP4-RECV:5002 ip-add-membership=239.3.4.5
check "IPv4, we join theirs" eventually hears "$h2" 239.3.4.5 5002
