#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for the address is another one after that
#
# An interface taken down and up under traffic works each time, and keeps its address.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

down_up()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up &&
		eventually is_up "$h1"
}

five_times()
{
	local i

	for i in {1..5}; do
		"$@" || { echo "time $i"; return 1; }
	done
}

plan 4
two_hosts
address=$(lladdr "$h1")
setup traffic
check "down and up once" down_up
check "five times more" five_times down_up
check "its link address is what it was" [ "$(lladdr "$h1")" = "$address" ]
# Its IPv6 address went with the link, that is how IPv6 is.
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
