#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Neighbour discovery on the wire (RFC 4391, 9.3): a link-layer address option
# is three units long, two zero octets and the 20 of the address.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
two_hosts
addr1=$(lladdr "$h1") addr2=$(lladdr "$h2")
setup capture "$eth2"
setup ping_all "$h1" fd00::2

# From the option on: BTH and DETH 20, IPoIB 4, IPv6 40, ICMPv6 24 octets.
decode 'icmpv6.type == 135 || icmpv6.type == 136' icmpv6.type ipv6.dst \
	udp.payload | sed 's/\t[^\t]\{176\}\([^\t]\{48\}\)[^\t]*$/\t\1/' > "$tmp/nd"
note "$(cat "$tmp/nd")"

check "the solicitation goes to the solicited-node group" \
	grep -P '^135\tff12:601b:ffff::1:ff00:2' "$tmp/nd"
check "with the source's address" \
	grep -P "^135\t.*\t01030000${addr1//:/}$" "$tmp/nd"
check "the advertisement is unicast" grep -P '^136\tfe80:' "$tmp/nd"
check "with the target's address" \
	grep -P "^136\t.*\t02030000${addr2//:/}$" "$tmp/nd"
