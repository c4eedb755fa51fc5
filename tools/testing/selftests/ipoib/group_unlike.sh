#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Somebody has made a group with another rate than the broadcast group. RFC 4391 section 5 allows
# that, so hosts join it as it is.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# slower: host 1 asks for that rate when it joins 239.1.2.3, but the RDMA core is told of the one
# that it wanted; IBTA 15.2.5.17 has the octets
slower()
{
	local group='class=3 attr=0x38 match=56:ff12401bffff0000000000000f010203'

	ib_knob mad_rules "$group method=2 from=$rdma1 set=98:83" &&
		ib_knob mad_rules "$group method=0x81 set=98:87"
}

rate_is()
{
	saquery -t 5000 --smkey 1 -g > "$tmp/sa" || return
	sed -n '/f01:203/,/^MCMember/p' "$tmp/sa" | grep -i "rate.*$1"
}

plan 3
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup slower
setup join_group 1
setup eventually is_member "$rdma1" ff12:401b:ffff::f01:203
setup ib_knob mad_rules ''
check "the group has another rate" rate_is 0x83
setup join_group 2
check "another host joins it" eventually is_member "$rdma2" ff12:401b:ffff::f01:203
check "and hears what comes" eventually group_hears 2 1
