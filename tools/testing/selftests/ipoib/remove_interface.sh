#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
# Also: kcsan
#
# ip link del under traffic removes the interface; a new one takes its place.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 9
two_hosts
for round in 1 2 3; do
	setup traffic
	check "removed, round $round" ip -n "$h1" link del ib0
	check "made again" \
		ip link add link "$eth1" name ib0 netns "$h1" type ipoib
	addresses 1
	check "reaches the other host" \
		eventually ping_all "$h1" 10.0.0.2 -w 2
done
