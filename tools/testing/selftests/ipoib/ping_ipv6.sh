#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IPv6 both ways, with neighbour discovery of 20-octet addresses; the
# interface identifier is made of the GID (RFC 4391, 8 and 9.3).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

knows()
{
	ip -n "$1" -6 neigh show "$2" dev ib0 | grep " lladdr $3 "
}

# interface_id NS: the last 64 bits of the GID with the universal bit set
interface_id()
{
	local hex

	hex=$(lladdr "$1" | tr -d :)
	printf 'fe80::%02x%s' $((0x${hex:24:2} | 2)) "${hex:26}" |
		sed 's/fe80::\(....\)\(....\)\(....\)/fe80::\1:\2:\3:/'
}

plan 6
two_hosts
local2=$(interface_id "$h2")
check "host 1 reaches host 2" ping_all "$h1" fd00::2
check "host 2 reaches host 1" ping_all "$h2" fd00::1
check "host 1 learned the address" knows "$h1" fd00::2 "$(lladdr "$h2")"
check "host 2 learned the address" knows "$h2" fd00::1 "$(lladdr "$h1")"
check "host 2 made $local2 of its GID" \
	grep ib0 <<< "$(ip -n "$h2" -6 -o addr show dev ib0 to "$local2")"
check "and answers there" ping_all "$h1" "$local2%ib0"
