#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# When a subnet manager has taken over, the RDMA core takes the GIDs of a port out of
# their table and puts them in again. Who looks meanwhile, for there is other news as
# well, does not lose the link: the carrier stays, and no packet is lost.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

times=$(much 4000)

# tell: a P_Key and a GID come and go that nobody uses
tell()
{
	local i

	for ((i = 0; i < times / 2; i++)); do
		ib_knob "$rdma1/pkeys" '9 0x8009'
		ib_knob "$rdma1/guids" '9 0x0269620000abcdef'
		ib_knob "$rdma1/pkeys" '9 0'
		ib_knob "$rdma1/guids" '9 0'
	done
}

carrier_changes()
{
	in_sysfs "$h1" cat /sys/class/net/ib0/carrier_changes
}

plan 4
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
before=$(carrier_changes)
setup steady "$h1" 10.0.0.2
check "$times times there is news" tell
check "pings go on" goes_on
check "none of them was lost" none_lost
check "the carrier has stayed" [ "$(carrier_changes)" = "$before" ]
