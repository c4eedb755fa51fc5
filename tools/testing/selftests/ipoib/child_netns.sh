#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# A child may live in another network namespace than its parent, and be made from there. When
# that goes, both return to the initial one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# In the initial namespace, by whatever name.
returned()
{
	local pkey=ffff

	ip link show "$(status "$rdma2" interface)"
}

# made_from_there: of a parent that is named by its number and its namespace
made_from_there()
{
	local number

	number=$(ip -n "$h2" -o link show ib0 | cut -d : -f 1)
	ip -n "$h3" link add link "if$number" link-netns "$h2" name red type ipoib pkey 0x8001
}

plan 8
partitions+=$red
ib_hosts 2
setup netns "$h3"
setup child 1 0x8001 red
setup child_addresses 1 red
setup eventually is_up "$h1" red
setup ip -n "$h3" netns set "$h2" 7
check "made from another namespace" made_from_there
check "on the parent's port" [ "$(pkey=8001 status "$rdma2" interface)" = red ]
setup ip -n "$h3" link del red
check "made in another namespace" ip -n "$h2" link add link ib0 name red \
	netns "$h3" type ipoib pkey 0x8001
h2=$h3 child_addresses 2 red
setup eventually is_up "$h3" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "it works there" ping_all "$h1" 10.1.0.2
# The parent goes down on its way.
setup in_ns "$h2" ethtool --set-priv-flags ib0 children-follow off
setup ip netns del "$h2"
check "the parent's namespace goes: it returns" eventually returned
check "the child works on" ping_all "$h1" 10.1.0.2
setup ip netns del "$h3"
pkey=8001
check "the child's goes: it returns, too" eventually ip link show red
setup ip link del red
check "and can be deleted there" eventually not status "$rdma2" state
