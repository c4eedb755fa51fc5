#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each link loses for itself: a datagram to a group reaches some of its members.
. "$(dirname "$0")/lib.sh"

heard()
{
	on "$1" nstat -asz IpExtInBcastPkts | sed -n 's/^IpExtInBcastPkts *\([0-9]*\) .*/\1/p'
}

# half: one of both hears what the other one does not
half()
{
	local two three

	two=$(heard 2) three=$(heard 3)
	on 1 ping -qbc 1 -W 0.3 10.0.0.255
	two=$(($(heard 2) - two)) three=$(($(heard 3) - three))
	echo "$two and $three"
	[ $((two + three)) -eq 1 ]
}

both()
{
	local two three

	two=$(heard 2) three=$(heard 3)
	on 1 ping -qbc 1 -W 0.3 10.0.0.255
	[ "$(heard 2)" -gt "$two" ] && [ "$(heard 3)" -gt "$three" ]
}

plan 2
hosts 3
setup eventually both
setup knob drop_ud_ppm 500000
check "half a group hears it" eventually half
setup knob drop_ud_ppm 0
check "without loss all of it does" both
