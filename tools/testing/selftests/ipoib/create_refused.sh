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
	[[ $out == "Error: ipoib: $1"* ]]
}

# group PKEY SCOPE: broadcast address of a link
group()
{
	echo "00:ff:ff:ff:ff:$2:40:1b:$1:00:00:00:00:00:00:ff:ff:ff:ff"
}

plan 28
foreign=00:00:00:11:fe:80:00:00:00:00:00:00:00:11:22:33:44:55:66:77
unowned=00:00:00:11:fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:00
no_gid="the link has no IPv6 link-local GID"
malformed="malformed broadcast address"

setup veth_pair
setup rdma_port "$eth1" "$rdma1"
check "no link" refused "a link to an Ethernet device is needed" type ipoib
check "a link without RDMA device" refused "the link carries no RDMA device" \
	link "$eth2" type ipoib
for pkey in 0 0x8000; do
	check "P_Key $pkey is that of no partition" \
		refused "0 and 0x8000 are P_Keys of no partition" \
		link "$eth1" type ipoib pkey $pkey
done
check "a P_Key that the port has not" \
	refused "the P_Key is not in the port's table" \
	link "$eth1" type ipoib pkey 0x8001
check "nor without bit 15" \
	refused "the P_Key is not in the port's table" \
	link "$eth1" type ipoib pkey 1
check "a umcast that is no switch" refused "umcast must be 0 or 1" \
	link "$eth1" type ipoib umcast 2
check "an MTU of connected mode without it" \
	refused "an MTU above 4092 needs connected mode" \
	link "$eth1" mtu 9000 type ipoib
check "nine tx queues" refused "an interface has at most 8 channels, numtxqueues is more" \
	link "$eth1" numtxqueues 9 type ipoib
check "several rx queues" refused "one queue receives, numrxqueues must be 1" \
	link "$eth1" numrxqueues 4 type ipoib
check "an Ethernet address" refused "malformed address, 20 octets" \
	link "$eth1" address 02:00:00:00:00:01 type ipoib
check "the address of a group" refused "malformed address, its last 16" \
	link "$eth1" address "$(group ff:ff 12)" type ipoib
check "an address without an interface" refused "malformed address, its last 16" \
	link "$eth1" address $unowned type ipoib
check "the address of somebody else" refused "the address is not a GID" \
	link "$eth1" address $foreign type ipoib
check "an Ethernet broadcast address" refused "$malformed, 20 octets are needed" \
	link "$eth1" broadcast ff:ff:ff:ff:ff:ff type ipoib
for pkey in 80:01 7f:ff 00:00; do
	check "the broadcast address of P_Key $pkey" \
		refused "$malformed, not that of the P_Key" \
		link "$eth1" broadcast "$(group $pkey 12)" type ipoib
done
# RFC 4291 section 2.7: 0 and 15 are reserved, and 1 never leaves a node.
for scope in 10 11 1f; do
	check "the broadcast address of scope $scope" \
		refused "$malformed, its scope is not from 2 to 14" \
		link "$eth1" broadcast "$(group ff:ff $scope)" type ipoib
done

setup ip link add link "$eth1" name "$ib" type ipoib
defer ip link del "$ib"
made=$ib ib=${ib}b
check "a second interface on the port" \
	refused "the port already has an IPoIB interface" link "$eth1" type ipoib
for pkey in "" "pkey 0x8001"; do
	# shellcheck disable=SC2086 # words
	check "a child ${pkey:-without P_Key}" \
		refused "the link is an IPoIB interface that cannot have children" \
		link "$made" type ipoib $pkey
done

setup sh -c "echo 1 > /proc/sys/net/ipv6/conf/$eth2/disable_ipv6"
setup rdma link add "$rdma2" type rxe netdev "$eth2"
defer rdma link del "$rdma2"
check "a port without IPv6" refused "$no_gid" link "$eth2" type ipoib
setup ip link set "$eth2" down
setup sh -c "echo 0 > /proc/sys/net/ipv6/conf/$eth2/disable_ipv6"
check "a port that is down" refused "$no_gid" link "$eth2" type ipoib
setup ip link set "$eth2" up
setup eventually owns_gid "$eth2" "$rdma2"
check "but not once it is up" ip link add link "$eth2" name "$ib" type ipoib
setup ip link del "$ib"
check "none of them left anything behind" not ip link show "$ib"
