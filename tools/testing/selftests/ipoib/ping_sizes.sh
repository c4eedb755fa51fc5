#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles stock
#
# Every size gets through unharmed: around the MTU, and in fragments up to the
# largest packet that IP knows.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 12
two_hosts
# 28 octets of IPv4 and ICMP header: 4064 fills the MTU of 4092.
for size in 0 1 3 56 4063 4064 4065 8000; do
	check "IPv4, $size octets" ping_all "$h1" 10.0.0.2 -s $size
done
check "IPv4, 65507 octets" ping_each "$h1" 10.0.0.2 -s 65507
check "the MTU, not to be fragmented" ping_all "$h1" 10.0.0.2 -s 4064 -M "do"
# One of the next size is more than may wait for a path.
check "IPv6, 56 octets" ping_all "$h1" fd00::2
check "IPv6, 65487 octets" ping_each "$h1" fd00::2 -s 65487
