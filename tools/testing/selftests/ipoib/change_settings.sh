#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they receive no message of 65524 octets
#
# Of an interface that exists umcast and mode may be changed, what cannot change
# is refused with the reason.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

change()
{
	ip link set "$ib" type ipoib "$@"
}

# refused REASON ARGUMENT...: ip link set fails with this reason
refused()
{
	local out

	out=$(ip link set "$ib" "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == "$1"* ]]
}

# mode_refused NUMBER REASON: ip knows two modes, so here is what it would send of a
# third: RTM_NEWLINK with an IFLA_LINKINFO. NETLINK_EXT_ACK asks for the reason
mode_refused()
{
	local index message said
	local netlink=SOCKET-SENDTO:16:3:0:x00000000000000000000,setsockopt-int=270:11:1

	index=$(< "/sys/class/net/$ib/ifindex")
	printf -v index '\\x%02x' $((index & 255)) $((index >> 8))
	message='\x3c\0\0\0\x10\0\x05\0\0\0\0\0\0\0\0\0'
	message+="\0\0\0\0$index\0\0\0\0\0\0\0\0\0\0"
	message+='\x1c\0\x12\x80\x0a\0\x01\0ipoib\0\0\0'
	message+="\x0c\0\x02\x80\x06\0\x02\0\x$1\0\0\0"
	# shellcheck disable=SC2059 # octets
	said=$(printf "$message" | socat -t 1 - "$netlink" | tr -d '\0')
	echo "$said"
	[[ $said == *"$2"* ]]
}

shows()
{
	ip -d link show "$ib" | tr -s ' ' | grep -E "$1"
}

plan 13
one_interface
check "umcast 1 is taken" change umcast 1
check "and shown" shows 'umcast 0*1'
check "umcast 2 is not" refused "Error: ipoib: umcast must be 0 or 1" \
	type ipoib umcast 2
check "another P_Key is not" \
	refused "Error: ipoib: the P_Key of an interface cannot be changed" \
	type ipoib pkey 0x8001
address=$(< "/sys/class/net/$ib/address")
check "nor the address of another queue pair" refused "RTNETLINK answers: Invalid argument" \
	address "${address:0:3}ff:ff:ff${address:11}"
check "nor an MTU of no mode" refused "Error: mtu greater than device maximum" \
	mtu 65521
check "nor a third mode" mode_refused 02 "mode must be datagram or connected mode"
check "nothing changed by that" \
	shows 'ipoib pkey 0xffff mode datagram umcast 0*1'
check "connected mode is taken" change mode connected
check "and shown" shows 'ipoib pkey 0xffff mode connected umcast 0*1'
check "with the MTU that it allows" shows ' mtu 65520 '
check "and no larger one" shows ' maxmtu 65520 '
check "datagram mode again" change mode datagram
