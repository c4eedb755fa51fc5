#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# Every tenth datagram is lost, whether data or management: hosts still find each
# other, and what TCP carries arrives as it was sent.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

answers()
{
	in_ns "$h1" ping -q -c 200 -i 0.01 -W 5 10.0.0.2 | tee "$tmp/ping"
	[ "$(sed -n 's/.*, \([0-9]*\) received.*/\1/p' "$tmp/ping")" -ge 120 ]
}

size=$(much 4M)

plan 5
ib_fabric 2
setup ib_knob drop_ud_ppm 100000
setup ib_knob drop_sa_ppm 100000
setup host 1 2
check "interface 1 comes up" eventually is_up "$h1"
check "interface 2 comes up" eventually is_up "$h2"
check "hosts find each other" eventually in_ns "$h1" ping -c 1 -W 1 10.0.0.2
check "most pings are answered" answers
check "a stream of $size is unharmed" transfer "$h1" "$h2" 10.0.0.2 "$size"
