#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# The cable is pulled and put back, under traffic, slowly and faster than anybody
# can follow.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

flap()
{
	ib_knob "$rdma2/link" 0 && ib_knob "$rdma2/link" 1
}

plan 6
ib_hosts 2
setup traffic
setup ib_knob "$rdma2/link" 0
check "no cable, no carrier" eventually not has_carrier "$h2"
check "debugfs says why" [ "$(status "$rdma2" reason)" = "port is down" ]
setup ib_knob "$rdma2/link" 1
check "with the cable it comes back" eventually is_up "$h2"
check "and talks" eventually ping_all "$h1" 10.0.0.2 -w 2
for i in 1 2 3 4 5 6 7 8 9 10; do
	setup flap
	sleep 0.0$((i % 4))
done
# OpenSM ignores a trap that comes more than ten times in a row. Told to look again, it
# finds what the last flap has left.
setup reload_sm sm1
check "after ten flaps, too" eventually ping_all "$h1" 10.0.0.2 -w 2
check "and the other way" eventually ping_all "$h2" fd00::1 -w 2
