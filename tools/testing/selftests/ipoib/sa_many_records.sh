#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A subnet administrator that has a record for each member of a group, as that of Omni-Path has,
# answers who looks for the group that there are too many. So the group exists, and is joined.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# too_many: to a query by nothing but the MGID; IBTA 15.2.2 has the status
too_many()
{
	ib_knob mad_rules \
		'class=3 method=0x81 attr=0x38 match=48:0000000000000001 status=0x0400'
}

# were_too_many N: so often
were_too_many()
{
	awk -v n="$1" '{ print; said += $4 } END { exit said < n }' "$ibdevsim/mad_rules"
}

plan 5
ib_hosts 2
setup too_many
setup ip -n "$h2" link set ib0 down
setup ip -n "$h2" link set ib0 up
check "the link comes up" eventually is_up "$h2"
check "the hosts talk" eventually ping_all "$h1" 10.0.0.2 -w 2
setup ip -n "$h2" route add 239.0.0.0/8 dev ib0
setup join_group 1
setup eventually is_member "$rdma1" ff12:401b:ffff::f01:203
check "who only sends is heard" eventually group_hears 1 2
check "as the SA has it" eventually joined "$rdma2" ff12:401b:ffff::f01:203 sendonly
check "it was asked, and so it answered" were_too_many 2
