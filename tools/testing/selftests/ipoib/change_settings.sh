#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Of an interface that exists umcast and mode may be changed, what cannot change
# is refused with the reason.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

change()
{
	ip link set "$ib" type ipoib "$@"
}

refused()
{
	local out

	out=$(change "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == "Error: ipoib: "*"$1"* ]]
}

shows()
{
	ip -d link show "$ib" | tr -s ' ' | grep -E "$1"
}

plan 7
one_interface
check "umcast 1 is taken" change umcast 1
check "and shown" shows 'umcast 0*1'
check "umcast 2 is not" refused umcast umcast 2
check "another P_Key is not" refused "cannot be changed" pkey 0x8001
check "nothing changed by that" \
	shows 'ipoib pkey 0xffff mode datagram umcast 0*1'
check "connected mode is taken" change mode connected
check "and shown" shows 'ipoib pkey 0xffff mode connected umcast 0*1'
