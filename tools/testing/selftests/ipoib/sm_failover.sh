#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# The subnet manager ends without a word and another, which stood by, takes over:
# no packet of those who talk is lost.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 5
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
setup start_sm sm2 -g "$(port_guid "$rdma2")"
setup eventually grep 'Entering STANDBY' "$tmp/sm2/log"
setup steady "$h1" 10.0.0.2
setup kill_sm sm1
check "the other takes over" eventually grep 'Entering MASTER' "$tmp/sm2/log"
must "and knows the subnet" eventually subnet_is_up sm2
check "pings go on" goes_on 750
check "none of them was lost" none_lost
check "others find each other, too" eventually ping_all "$h2" fd00::1 -w 2
