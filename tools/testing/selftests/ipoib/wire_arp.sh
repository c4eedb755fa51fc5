#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ARP on the wire (RFC 4391, 9.4): hardware type 32, addresses of 20 octets;
# the request goes to the broadcast group, the reply to who asked.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 6
two_hosts
addr1=$(lladdr "$h1") addr2=$(lladdr "$h2")
setup capture "$eth2"
setup ping_all "$h1" 10.0.0.2
decode arp arp.opcode arp.hw.type arp.hw.size arp.proto.type arp.proto.size \
	"${to[@]}" arp.src.hw arp.src.proto_ipv4 arp.dst.proto_ipv4 \
	arp.dst.hw > "$tmp/arp"
grep ^1 "$tmp/arp" | head -n 1 > "$tmp/request"
grep ^2 "$tmp/arp" | head -n 1 > "$tmp/reply"
note "$(cat "$tmp/arp")"

# field FILE N: one column of one packet, as plain hex if it is an address
field()
{
	cut -f "$2" "$tmp/$1" | tr -d :
}

check "hardware type 32, length 20, protocol IPv4" \
	[ "$(cut -f 2-5 "$tmp/arp" | sort -u)" = "$(printf '32\t20\t0x0800\t4')" ]
check "the request goes to the broadcast group" \
	grep ff12:401b:ffff::ffff:ffff "$tmp/request"
check "it comes from the sender's link address" \
	[ "$(field request 8)" = "${addr1//:/}" ]
check "and asks for the other's" grep -w 10.0.0.2 "$tmp/request"
check "the reply goes to the port of the sender" \
	[ "$(cut -f 6-7 "$tmp/reply")" = "$(address_on_wire 1)" ]
check "and tells it" [ "$(field reply 8)" = "${addr2//:/}" ]
