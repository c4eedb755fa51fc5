#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# rmmod ipoib under traffic, with a subnet manager and after that died: it does
# not take long, and the interfaces come back with the module.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

round()
{
	check "$1: the module goes within $2 s" within "$2" rmmod ipoib
	check "$1: its interfaces are gone" not ip -n "$h1" link show ib0
	check "$1: they come back with it" load_ipoib
}

plan 7
ib_hosts 2
setup traffic
round "with a subnet manager" 15
for n in 1 2; do
	setup take_interface $n
done
setup eventually is_up "$h1"
setup eventually is_up "$h2"
check "they work" eventually ping_all "$h1" 10.0.0.2 -w 2
setup traffic
setup kill_sm sm1
round "without" 60
