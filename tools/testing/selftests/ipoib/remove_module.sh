#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan stock
#
# rmmod ipoib under traffic takes the interfaces away, and nothing else.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 6
two_hosts
for round in 1 2; do
	setup traffic
	check "the module goes, round $round" rmmod ipoib
	check "its interfaces are gone" not ip -n "$h1" link show ib0
	check "and come back with it" load_ipoib
	for n in 1 2; do
		setup interface $n
	done
done
