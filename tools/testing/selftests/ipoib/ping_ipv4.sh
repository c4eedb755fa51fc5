#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: stock
#
# IPv4 both ways, with ARP of 20-octet addresses (RFC 4391, 9.4).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows NS ADDRESS LLADDR: the neighbour table has the address
knows()
{
	ip -n "$1" neigh show "$2" dev ib0 | tee "$tmp/neigh" |
		grep " lladdr $3 "
}

plan 4
two_hosts
check "host 1 reaches host 2" ping_all "$h1" 10.0.0.2
check "host 2 reaches host 1" ping_all "$h2" 10.0.0.1
check "host 1 learned the address" knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
check "host 2 learned the address" knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
