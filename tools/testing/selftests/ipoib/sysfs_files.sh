#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The files that ib_ipoib has, for those who know them: pkey, mode, umcast.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# holds FILE TEXT
holds()
{
	grep -x "$2" "/sys/class/net/$ib/$1"
}

# takes FILE TEXT
takes()
{
	echo "$2" > "/sys/class/net/$ib/$1"
}

shows()
{
	ip -d link show "$ib" | tr -s ' ' | grep "$1"
}

plan 15
one_interface

check "pkey" holds pkey 0xffff
check "pkey cannot be changed" not takes pkey 0x8001
check "mode is datagram" holds mode datagram
check "mode takes datagram" takes mode datagram
check "mode takes connected" takes mode connected
check "and is that" holds mode connected
check "mode takes datagram again" takes mode datagram
check "mode refuses nonsense" not takes mode telepathic
check "and is still datagram" holds mode datagram
check "umcast is off" holds umcast 0
check "umcast takes 1" takes umcast 1
check "and shows it" holds umcast 1
check "so does ip link" shows 'umcast 0*1'
check "umcast refuses nonsense" not takes umcast maybe
check "umcast takes 0 again" eval 'takes umcast 0 && holds umcast 0'
