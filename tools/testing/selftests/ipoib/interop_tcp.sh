#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan profiles stock
#
# 64 MiB over TCP between this driver and ib_ipoib, in each direction.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 2
interop_hosts ours
check "from ours to theirs" transfer "$h1" "$h2" 10.0.0.2
check "from theirs to ours, over IPv6" transfer "$h2" "$h1" '[fd00::1]'
