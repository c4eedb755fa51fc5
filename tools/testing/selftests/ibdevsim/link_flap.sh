#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# A cable is pulled and put back; the subnet manager heals that by itself.
. "$(dirname "$0")/lib.sh"

plan 5
fabric 2
setup knob ibdevsim1/link 0
check "the port is down" state_is ibdevsim1 DOWN
check "the subnet manager hears of it" eventually grep 'num:128' "$tmp/sm1/log"
check "the other port stays" state_is ibdevsim0 ACTIVE
setup knob ibdevsim1/link 1
check "the port comes back" eventually state_is ibdevsim1 ACTIVE
check "and answers" eventually smpquery nodeinfo "$(lid_of ibdevsim1)"
