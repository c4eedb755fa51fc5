#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# The MTU is the largest that InfiniBand knows and Ethernet carries, less the
# header's four octets (RFC 4391, 7).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# mtu_is ETHERNET IPOIB: of an interface on an Ethernet device like that
mtu_is()
{
	ip link set "$eth1" mtu "$1" || return
	ip link add link "$eth1" name "$ib" type ipoib || return
	ip link show "$ib"
	ip link show "$ib" | grep -q " mtu $2 "
	set -- $?
	ip link del "$ib"
	return "$1"
}

plan 7
setup two_ports
check "1280: 1020" mtu_is 1280 1020
check "1500: 1020" mtu_is 1500 1020
check "2127: 1020" mtu_is 2127 1020
check "2128: 2044" mtu_is 2128 2044
check "4175: 2044" mtu_is 4175 2044
check "4176: 4092" mtu_is 4176 4092
check "9000: 4092" mtu_is 9000 4092
