#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles stock
#
# 64 MiB through TCP in each direction arrive as they were sent.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 2
two_hosts
check "host 1 to host 2" transfer "$h1" "$h2" 10.0.0.2
check "host 2 to host 1, over IPv6" transfer "$h2" "$h1" '[fd00::1]'
