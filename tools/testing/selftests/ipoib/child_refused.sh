#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Children that cannot be are refused, and ip says why.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused REASON ARGUMENT...: ip link add fails with this reason
refused()
{
	local out

	out=$(ip -n "$h1" link add name blue "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == "Error: ipoib: "*"$1"* ]]
}

create()
{
	in_sysfs "$h1" sh -c "echo $1 > /sys/class/net/ib0/create_child"
}

plan 16
ib_fabric 1
setup host 1
for pkey in 0 0x8000 0x0001 0x7fff; do
	check "P_Key $pkey" refused "must be a full member" \
		link ib0 type ipoib pkey $pkey
	check "P_Key $pkey, create_child" not create $pkey
done
for pkey in red 0x18001 -1; do
	check "malformed P_Key $pkey, create_child" not create $pkey
done
check "no P_Key" refused "needs a P_Key" link ib0 type ipoib
check "the parent's P_Key" refused "already has an IPoIB interface" \
	link ib0 type ipoib pkey 0xffff
setup child 1 0x8001 red
check "that of another child" refused "already has an IPoIB interface" \
	link ib0 type ipoib pkey 0x8001
check "a child of a child" refused "cannot have children" \
	link red type ipoib pkey 0x8002
check "none of them left anything behind" not ip -n "$h1" link show blue
