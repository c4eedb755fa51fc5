#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan profiles stock
# HCAs: not irdma, for ib_ipoib wants 17 segments to receive in
#
# 64 MiB over TCP by connections between this driver and ib_ipoib, in each
# direction.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 2
interop_hosts ours
setup interop_connected
check "from ours to theirs" \
	by_connection 1 "$(much 64M)" transfer "$h1" "$h2" 10.0.0.2
check "from theirs to ours, over IPv6" \
	from_connection 1 "$(much 64M)" transfer "$h2" "$h1" '[fd00::1]'
