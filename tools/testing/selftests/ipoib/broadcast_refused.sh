#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A broadcast group whose MTU is more than the port can take is not joined, and
# the interface says so. Once the port can, it comes up.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

reason_is()
{
	status "$rdma1" reason | grep -F "$1"
}

is_known_member()
{
	sa_members > "$tmp/members"
	grep "$(gid "$rdma1")" "$tmp/members"
}

port_mtu()
{
	smpquery -C "$rdma1" -D portinfo 0 1 | tee "$tmp/portinfo" |
		grep "NeighborMTU.*\.$1$" || { cat "$tmp/portinfo"; return 1; }
}

# mtu_cap OCTETS: for the port of host 1, told to the subnet manager
mtu_cap()
{
	ib_knob "$rdma1/mtu_cap" "$1" && reload_sm sm1 &&
		eventually port_mtu "$1"
}

plan 6
setup bare_fabric 2
setup ib_knob "$rdma1/mtu_cap" 2048
setup start_sm sm1
setup eventually subnet_is_up sm1
setup host 1
check "the reason is the MTU" eventually reason_is "MTU is more than the port"
check "there is no carrier" not has_carrier "$h1"
check "the subnet manager knows of no member there" \
	not is_known_member
setup mtu_cap 4096
check "it comes up once the port can take that" eventually is_up "$h1"
check "and is known there, now" eventually is_known_member
setup host 2
setup eventually is_up "$h2"
setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "the link works" ping_all "$h1" 10.0.0.2
