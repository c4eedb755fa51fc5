#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A subnet manager answers a join before it tells the switch of the group; this one never gets to
# that. The question for a neighbour for which a host has joined reaches the neighbour all the same,
# without being repeated: everybody is asked.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mgid=ff12:601b:ffff::1:ff00:2

plan 3
ib_hosts 2
setup eventually is_member "$rdma2" $mgid
# Set(MulticastForwardingTable)
setup ib_knob mad_rules "method=2 attr=0x1b drop"
# IPv6 asks again when the test is long over.
setup in_ns "$h1" sysctl -q "net.ipv6.neigh.ib0.retrans_time_ms=$((10 * minute))000"
setup capture "$eth2"
check "the neighbour answers" in_ns "$h1" ping -c 1 -w "$minute" fd00::2
decode 'icmpv6.nd.ns.target_address == fd00::2' "$to_gid" > "$tmp/asked"
check "its group was asked, and everybody, once each" \
	diff "$tmp/asked" <(printf '%s\n' $mgid ff12:401b:ffff::ffff:ffff)
check "the switch does not know the group" not forwards $mgid "$rdma2"
setup ib_knob mad_rules ""
