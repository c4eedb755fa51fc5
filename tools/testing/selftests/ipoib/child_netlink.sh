#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# ip makes an interface for another P_Key of the port, and takes it away.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

shows()
{
	ip -n "$h1" -d link show red > "$tmp/link" && cat "$tmp/link" &&
		grep -q "$1" "$tmp/link"
}

plan 8
partitions+=$red
ib_hosts 2
for n in 1 2; do
	setup child $n 0x8001 red
	setup child_addresses $n red
done
check "it names its parent" shows 'red@ib0:'
check "and its P_Key" shows 'ipoib pkey 0x8001 mode datagram umcast 0'
check "its broadcast group is that of the P_Key" shows \
	'brd 00:ff:ff:ff:ff:12:40:1b:80:01:00:00:00:00:00:00:ff:ff:ff:ff'
check "it comes up" eventually is_up "$h1" red
setup eventually is_up "$h2" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "IPv4 goes through" ping_all "$h1" 10.1.0.2
check "IPv6 goes through" ping_all "$h1" fd01::2
check "it can be deleted" ip -n "$h1" link del red
check "and made again" child 1 0x8001 red
