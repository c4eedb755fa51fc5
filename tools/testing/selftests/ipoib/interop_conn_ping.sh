#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: stock
# HCAs: not irdma, for ib_ipoib makes no connections on them
#
# Connections with ib_ipoib, whoever asks first: each side sends by its own, and
# packets of any size get through.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

they_were_first()
{
	connections 1 | tee -a /dev/stderr | head -n 1 |
		grep 'service=linux opened_by=peer state=established'
}

plan 11
interop_hosts ours
setup interop_connected
check "ours asks first" large "$h1" 10.0.0.2
check "by the service ID that theirs knows" \
	has_connection 1 opened_by=us service=linux state=established transport=RC
check "theirs has asked as well" has_connection 1 opened_by=peer service=linux
check "all sizes" ping_each "$h1" 10.0.0.2 -s 65492 -M "do"
check "what is not IP goes by it, too" eventually \
	by_connection 1 100000 send_frames "$h1" "$h2" 88ca 20000
check "as that of theirs does" eventually from_connection 1 100000 \
	send_frames "$h2" "$h1" 88ca 20000

setup mode datagram 1
setup eventually answers "$h2" 10.0.0.1
setup mode connected 1
setup forget_neighbours "$h2" dev ib0
check "theirs asks first" eventually answers "$h2" 10.0.0.1 -s 60000
check "and its connection is the oldest" they_were_first
check "all of them arrive" large "$h2" 10.0.0.1
check "by connections" eventually by_connection 1 300000 \
	from_connection 1 300000 large "$h2" 10.0.0.1
check "IPv6, too" ping_all "$h2" fd00::1
