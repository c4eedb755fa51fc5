#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# Ours in connected mode, ib_ipoib in datagram mode, in which it takes connections
# all the same: ours sends by one, and it by datagrams. The other way round it is just so,
# even if ours is to have no RC, for theirs would send nothing then.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

# shellcheck disable=SC2034 # for the log
expected='packet len .* too long to send'
plan 8
interop_hosts ours
setup connected "rc uc" 1
check "ours connected" eventually by_connection 1 300000 large "$h1" 10.0.0.2
check "TCP from ours" by_connection 1 "$size" \
	transfer "$h1" "$h2" 10.0.0.2 "$size"
check "TCP from theirs" transfer "$h2" "$h1" 10.0.0.1 "$size"

setup mode datagram 1
setup their_mode connected
check "theirs connected" eventually from_connection 1 300000 large "$h2" 10.0.0.1
check "TCP from ours" by_datagram 1 transfer "$h1" "$h2" 10.0.0.2 "$size"
check "TCP from theirs" from_connection 1 "$size" \
	transfer "$h2" "$h1" 10.0.0.1 "$size"
check "the connection is theirs alone" has_connection 1 opened_by=peer service=linux sent=0
setup offer uc 1
check "without RC theirs has one all the same" \
	eventually from_connection 1 300000 large "$h2" 10.0.0.1
