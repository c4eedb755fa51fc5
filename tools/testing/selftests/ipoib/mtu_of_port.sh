#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An MTU that the port can do is taken, whatever the link can do now and whether that is
# known yet: the smaller of both is used, the log says so once, and the user's comes when
# the link can do it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mtu_is()
{
	ip -n "$h1" link show dev ib0 | grep " mtu $1 "
}

# logged N: so often, from the beginning
logged()
{
	[ "$(kernel_log | grep -c 'ib0: MTU 4000 is set, and the link can do no more than 2044')" = "$1" ]
}

# down_up: as ifupdown does it, in one step
down_up()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set dev ib0 mtu 4000 up
}

plan 9
partitions=${partitions/mtu=5/mtu=4} mtu=2200
two_hosts
check "more than the group's is taken" ip -n "$h1" link set ib0 mtu 4000
check "the group's is used" mtu_is 2044
check "the log says so" logged 1
setup ip -n "$h1" link set ib0 mtu 1500
check "taken while nothing is known of the group" down_up
check "the group's is used when that is joined" eventually mtu_is 2044
setup eventually ping_all "$h1" 10.0.0.2 -s 2016 -M "do" -w 2
check "the log says so" eventually logged 2
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 up
setup eventually ping_all "$h1" 10.0.0.2 -w 2
check "once for each setting" logged 2
setup link_mtu 4096
check "the user's comes with a link that can do it" eventually mtu_is 4000
check "and is used" eventually ping_all "$h1" 10.0.0.2 -s 3972 -M "do" -w 2
