#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: stock
# HCAs: not irdma, for they have no UC
#
# In connected mode every size up to the MTU of 65520 goes by one connection,
# whole; of either transport, in both directions.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 18
two_hosts
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	check "$transport: the first packet, 60000 octets, opens a connection" \
		answers "$h1" 10.0.0.2 -s 60000 -M "do" -W 20
	check "it is there" has_connection 1 transport=$transport \
		opened_by=us state=established mtu=65520
	check "on the other side, too" \
		has_connection 2 transport=$transport opened_by=peer state=established
	# 28 octets of IPv4 and ICMP header: 65492 fills the MTU.
	for size in 0 56 4064 65492; do
		check "$size octets" by_connection 1 $((5 * (size + 28))) \
			ping_each "$h1" 10.0.0.2 -s $size -M "do"
	done
	check "60000 octets back, over IPv6" \
		by_connection 2 300000 large "$h2" fd00::1
	check "one connection is enough" has_connections 1 1
done
