#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A link of 1024 octets, as on an ordinary Ethernet of 1500, is too small for IPv6,
# which wants 1280: IPv4 works, and the log says why IPv6 does not.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

log_says()
{
	kernel_log | grep 'ib0: .*IPv6'
}

no_ipv6_address()
{
	local addresses

	addresses=$(ip -n "$h1" -6 addr show dev ib0) && [ -z "$addresses" ]
}

plan 4
mtu=1500 partitions=${partitions/mtu=5/mtu=3}
two_hosts
check "IPv4, as large as the MTU of 1020" \
	ping_all "$h1" 10.0.0.2 -s 992 -M "do"
check "IPv4, in fragments" ping_each "$h1" 10.0.0.2 -s 20000
check "no IPv6 address" no_ipv6_address
check "the log says why" log_says
