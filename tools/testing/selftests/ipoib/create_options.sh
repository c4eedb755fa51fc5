#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# What may be chosen when an interface is made: MTU, mode, umcast, the GID among
# several of the port, and the scope of the link's groups (RFC 4391, 4).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# makes ARGUMENT...: an interface with these
makes()
{
	ip link add link "$eth1" name "$ib" "$@"
}

shows()
{
	ip -d link show "$ib" | tr -s '[:space:]' ' ' | grep -E -- "$1"
}

in_gid_table()
{
	grep -q 0000:0000:0000:0077$ \
		"/sys/class/infiniband/$rdma1/ports/1/gids/"[0-7]
}

plan 26
setup two_ports
setup ip -6 addr add fe80::77/64 dev "$eth1"
setup eventually in_gid_table
gid=fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:77

check "an MTU" makes mtu 1500 type ipoib
check "it has it" shows ' mtu 1500 '
setup ip link del "$ib"
check "umcast and the names of what is the default" \
	makes type ipoib umcast 1 mode datagram pkey 0xffff
check "it has it" shows ' umcast 0*1'
setup ip link del "$ib"
check "connected mode" makes type ipoib mode connected
check "it has it" shows ' mtu 65520 .* mode connected'
setup ip link del "$ib"
check "with an MTU that only this has" \
	makes mtu 9000 type ipoib mode connected
check "it has it" shows ' mtu 9000 .* mode connected'
setup ip link del "$ib"
for start in 00:00:00:00 c0:de:ad:be; do
	check "a GID, in an address that begins with $start" \
		makes address $start:$gid type ipoib
	check "it has it, and a QPN" shows "infiniband c0:00:00:[1-9a-f].:$gid "
	setup ip link del "$ib"
done
check "an address of zeros" makes address "00$(printf ':00%.0s' {1..19})" type ipoib
check "it has a GID all the same, and a QPN" shows "infiniband c0:00:00:[1-9a-f].:fe:80:"
setup ip link del "$ib"
# Link, site, organisation, global
for scope in 12 15 18 1e; do
	brd=00:ff:ff:ff:ff:$scope:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
	check "scope $scope, in the broadcast address" makes broadcast $brd type ipoib
	check "it has it" shows "brd $brd"
	setup ip link set "$ib" up
	check "it joins the broadcast group of that scope" \
		eventually is_member "$rdma1" ff$scope:401b:ffff::ffff:ffff
	setup ip link del "$ib"
done
