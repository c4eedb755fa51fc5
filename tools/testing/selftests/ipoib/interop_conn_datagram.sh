#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Ours in connected mode, ib_ipoib in datagram mode, and the other way round: they
# talk by datagrams.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 7
interop_hosts ours
setup connected "rc uc" 1
check "ours connected" large "$h1" 10.0.0.2
check "TCP from ours" transfer "$h1" "$h2" 10.0.0.2 16M
check "TCP from theirs" transfer "$h2" "$h1" 10.0.0.1 16M

setup mode datagram 1
setup their_mode connected
# Whose first packet is told that it is too long.
check "theirs connected, in fragments" eventually answers "$h2" 10.0.0.1 -s 60000
check "all of them" large "$h2" 10.0.0.1
check "TCP from ours" transfer "$h1" "$h2" 10.0.0.2 16M
check "TCP from theirs" transfer "$h2" "$h1" 10.0.0.1 16M
