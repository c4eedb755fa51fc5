#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# ib_ipoib was there first, and speaks first.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
interop_hosts theirs
check "ARP and IPv4, from theirs" ping_all "$h2" 10.0.0.1
check "neighbour discovery and IPv6, from theirs" ping_all "$h2" fd00::1
setup forget_neighbours "$h1" all
setup forget_neighbours "$h2" all
check "ARP and IPv4, from ours" ping_all "$h1" 10.0.0.2
check "neighbour discovery and IPv6, from ours" ping_all "$h1" fd00::2
