#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# An interface may be made in another network namespace than its Ethernet
# device, or move there later, and back.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 7
setup two_ports
setup netns "$h1"
setup netns "$h2"

must "made in a namespace in one step" \
	ip link add link "$eth1" name ib0 netns "$h1" type ipoib
defer ip -n "$h1" link del ib0
check "it is not here" not ip link show ib0

setup ip link add link "$eth2" name "$ib" type ipoib
setup ip link set "$ib" up
must "moved to a namespace" ip link set "$ib" netns "$h2"
defer ip -n "$h2" link del ib0
setup ip -n "$h2" link set "$ib" name ib0

addresses 1
addresses 2
check "the first has carrier" eventually is_up "$h1"
check "the second has carrier" eventually is_up "$h2"
check "they reach each other" ping_all "$h1" 10.0.0.2
check "a namespace takes its interface along when it goes" ip netns del "$h2"
