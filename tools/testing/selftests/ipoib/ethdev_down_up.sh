#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
# Also: kcsan
#
# With its Ethernet device the interface loses its carrier, and has it back.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The link-local address goes with the link and is made again.
says_why()
{
	local reason

	reason=$(status "$rdma1" reason)
	echo "$reason"
	[[ $reason == @("port is down"|"no GID of the stack on the port") ]]
}

plan 8
two_hosts
flood "$h2" 10.0.0.1
for round in 1 2; do
	setup ip link set "$eth1" down
	check "down, round $round: no carrier" eventually not has_carrier "$h1"
	check "the reason is visible" eventually says_why
	setup ip link set "$eth1" up
	check "up: carrier" eventually is_up "$h1"
	check "the other host is reached" \
		eventually ping_all "$h1" 10.0.0.2 -w 2
done
