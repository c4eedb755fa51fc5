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

# For tshark all that follows the length is the address.
decode 'icmpv6.type == 135 || icmpv6.type == 136' icmpv6.type "${to[@]}" \
	icmpv6.opt.type icmpv6.opt.length icmpv6.opt.linkaddr > "$tmp/nd"
note "$(cat "$tmp/nd")"

check "the solicitation goes to the solicited-node group" \
	grep -P '^135\tff12:601b:ffff::1:ff00:2\t' "$tmp/nd"
check "with the source's address" \
	grep -P "^135\t.*\t1\t3\t0000${addr1//:/}$" "$tmp/nd"
check "the advertisement goes to the port that asked" \
	grep -P "^136\t$(address_on_wire 1)\t" "$tmp/nd"
check "with the target's address" \
	grep -P "^136\t.*\t2\t3\t0000${addr2//:/}$" "$tmp/nd"
