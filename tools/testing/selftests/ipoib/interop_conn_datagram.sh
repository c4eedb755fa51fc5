#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Ours in connected mode, ib_ipoib in datagram mode, in which it takes connections
# all the same: ours sends by one, and it by datagrams. The other way round all goes
# by datagrams.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

# shellcheck disable=SC2034 # for the log
expected='packet len .* too long to send'
plan 7
interop_hosts ours
setup connected "rc uc" 1
check "ours connected" eventually by_connection 1 300000 large "$h1" 10.0.0.2
check "TCP from ours" by_connection 1 "$size" \
	transfer "$h1" "$h2" 10.0.0.2 "$size"
check "TCP from theirs" transfer "$h2" "$h1" 10.0.0.1 "$size"

setup mode datagram 1
setup their_mode connected
# Whose first packet is told that it is too long.
check "theirs connected, in fragments" eventually answers "$h2" 10.0.0.1 -s 60000
check "all of them" large "$h2" 10.0.0.1
check "TCP from ours" transfer "$h1" "$h2" 10.0.0.2 "$size"
check "TCP from theirs" transfer "$h2" "$h1" 10.0.0.1 "$size"
