#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: stock
# HCAs: not irdma, for they have one P_Key
#
# ip makes an interface for another P_Key of the port, and takes it away.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

shows()
{
	ip -n "$h1" -d link show red > "$tmp/link" && cat "$tmp/link" &&
		grep -q "$1" "$tmp/link"
}

has_alias()
{
	grep -x fe80:0000:0000:0000:0269:6200:00ab:cdef \
		"/sys/class/infiniband/$rdma1/ports/1/gids/1"
}

# mtu_is MTU
mtu_is()
{
	ip -n "$h1" link show dev red | tee -a /dev/stderr | grep -q " mtu $1 "
}

plan 16
partitions+=$red
ib_hosts 2
setup ip -n "$h1" link set ib0 mtu 1500
# Whoever leaves bit 15 out means the same partition.
setup child 1 0x8001 red
setup child 2 1 red
setup child_addresses 1 red
setup child_addresses 2 red
check "it names its parent" shows 'red@ib0:'
check "and its P_Key" shows 'ipoib pkey 0x8001 mode datagram umcast 0'
check "its broadcast group is that of the P_Key" shows \
	'brd 00:ff:ff:ff:ff:12:40:1b:80:01:00:00:00:00:00:00:ff:ff:ff:ff'
check "it comes up" eventually is_up "$h1" red
setup eventually is_up "$h2" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "IPv4 goes through" ping_all "$h1" 10.1.0.2
check "IPv6 goes through" ping_all "$h1" fd01::2
check "its MTU is what the user has chosen for the parent" mtu_is 1500
check "it can be deleted" ip -n "$h1" link del red
setup mode connected 1
check "and made again" child 1 0x8001 red
check "in datagram mode, whatever that of the parent" shows "mode datagram"
setup ip -n "$h1" link del red
check "and with an MTU of its own" ip -n "$h1" link add link ib0 name red \
	mtu 2000 type ipoib pkey 0x8001
check "which it has" mtu_is 2000
setup ip -n "$h1" link del red
zeros=00$(printf ':00%.0s' {1..19})
check "and with an address of zeros" ip -n "$h1" link add link ib0 name red \
	address "$zeros" type ipoib pkey 0x8001
check "which stands for the GID of the parent" \
	[ "$(lladdr "$h1" red | cut -c 13-)" = "$(lladdr "$h1" | cut -c 13-)" ]
setup ip -n "$h1" link del red
setup ib_knob "$rdma1/guids" '1 0x0269620000abcdef'
setup eventually has_alias
alias=fe:80:00:00:00:00:00:00:02:69:62:00:00:ab:cd:ef
check "and with another GID of the port" ip -n "$h1" link add link ib0 name red \
	address "c0:de:ad:be:$alias" type ipoib pkey 0x8001
check "which its address has, and a QPN" shows "infiniband c0:[1-9a-f].:..:..:$alias "
