#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# What cannot work is refused, and ip says why.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused REASON ARGUMENT...: ip link add fails with this reason
refused()
{
	local out

	out=$(ip link add name "$ib" "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == "Error: ipoib: "*"$1"* ]]
}

plan 13
foreign=00:00:00:11:fe:80:00:00:00:00:00:00:00:11:22:33:44:55:66:77

setup veth_pair
setup rdma_port "$eth1" "$rdma1"
check "no link" refused "link to an Ethernet device is needed" type ipoib
check "a link without RDMA device" refused "carries no RDMA device" \
	link "$eth2" type ipoib
for pkey in 0 0x8000 0x7fff; do
	check "P_Key $pkey is no full membership" \
		refused "must be a full member" \
		link "$eth1" type ipoib pkey $pkey
done
check "a P_Key that the port has not" \
	refused "P_Key is not in the port's table" \
	link "$eth1" type ipoib pkey 0x8001
check "a umcast that is no switch" refused "umcast" \
	link "$eth1" type ipoib umcast 2
check "an MTU of connected mode without it" refused "needs connected mode" \
	link "$eth1" mtu 9000 type ipoib
check "an Ethernet address" refused "malformed address" \
	link "$eth1" address 02:00:00:00:00:01 type ipoib
check "the address of somebody else" refused "is not a GID of the port" \
	link "$eth1" address $foreign type ipoib

setup ip link add link "$eth1" name "$ib" type ipoib
defer ip link del "$ib"
ib=${ib}b
check "a second interface on the port" \
	refused "already has an IPoIB interface" link "$eth1" type ipoib

setup sh -c "echo 1 > /proc/sys/net/ipv6/conf/$eth2/disable_ipv6"
setup rdma link add "$rdma2" type rxe netdev "$eth2"
defer rdma link del "$rdma2"
check "a port without link-local GID" refused "no IPv6 link-local GID" \
	link "$eth2" type ipoib
check "none of them left anything behind" not ip link show "$ib"
