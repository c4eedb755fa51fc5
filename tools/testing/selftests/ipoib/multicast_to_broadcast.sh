#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Packets for a group that does not exist are dropped, or with the private flag
# multicast-to-broadcast sent to everybody (RFC 4391, 5 leaves it open).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

flag()
{
	in_ns "$h1" ethtool --show-priv-flags ib0 |
		grep -E "^multicast-to-broadcast *: $1"
}

# all_heard: host 2 receives as many packets as host 1 sends
all_heard()
{
	local before

	before=$(counter "$h2" rx0_multicast)
	send_udp "$h1" 239.1.2.3 5000 20
	grew "$h2" rx0_multicast $((before + 19))
}

plan 6
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
check "off at first" flag off
before=$(counter "$h1" drop_tx_no_member)
send_udp "$h1" 239.1.2.3 5000 20
check "off: dropped" eventually grew "$h1" drop_tx_no_member $((before + 19))
setup in_ns "$h1" ethtool --set-priv-flags ib0 multicast-to-broadcast on
check "it can be set" flag on
check "on: everybody gets them" eventually all_heard
check "no group is made for them" sa_lacks ff12:401b:ffff::f01:203
setup in_ns "$h1" ethtool --set-priv-flags ib0 multicast-to-broadcast off
check "and set back" flag off
