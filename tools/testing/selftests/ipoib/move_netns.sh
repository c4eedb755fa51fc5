#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# An interface may move from one network namespace to another under traffic.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 5
two_hosts
setup netns "$h3"
defer ip -n "$h3" link del ib0
setup traffic
check "to another namespace" ip -n "$h1" link set ib0 netns "$h3"
check "it is gone from the first" not ip -n "$h1" link show ib0
setup ip -n "$h3" addr add 10.0.0.1/24 brd + dev ib0
setup ip -n "$h3" link set ib0 up
check "it works there" eventually ping_all "$h3" 10.0.0.2 -w 2
check "and back" ip -n "$h3" link set ib0 netns "$h1"
addresses 1
check "it works there" eventually ping_all "$h1" 10.0.0.2 -w 2
