#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# A subnet manager that ends and comes back, and has all members of all groups
# report anew, costs no packet of those who talk.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 5
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
setup steady "$h1" 10.0.0.2
setup kill_sm sm1
check "without one pings go on" goes_on 250
setup start_sm sm1
must "a new subnet manager" eventually subnet_is_up sm1
check "with it pings go on" goes_on 750
check "none of them was lost" none_lost
check "others find each other, too" eventually ping_all "$h2" fd00::1 -w 2
