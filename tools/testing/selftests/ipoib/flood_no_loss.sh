#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles stock
#
# A flood of small packets over an idle link loses none.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

many=$(much 5000)

plan 2
two_hosts
check "one at a time" ping_all "$h1" 10.0.0.2 -i 0 -c "$many"
late=32 check "32 at a time" ping_all "$h1" 10.0.0.2 -i 0 -l 32 -c $((many + 32))
