#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nmstate's scenarios of InfiniBand, tests/integration/infiniband_test.py of its repository, in
# either mode: a child is made and removed, port and child have another MTU and addresses, and the
# child goes with the port. And its rollback: all that a state that is not kept has made is gone.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs NetworkManager nmcli dbus-daemon busctl
plan 27
partitions+=$red
ib_fabric 2
port 1
setup host 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
machine 1
network_manager 1
for mode in datagram connected; do
	port=("mode=$mode") child=("mode=$mode" base=ib0 pkey=0x8001)
	check "$mode: the port" state ib0 "mode $mode" "${port[@]}"
	check "a child is made" state ib0.8001 "pkey 0x8001 mode $mode" "${child[@]}"
	check "it is removed" absent ib0.8001
	check "and gone" verified not link_is 1 ib0.8001 .
	check "the port has another MTU" state ib0 "mtu 1280 " "${port[@]}" mtu=1280
	check "a child, too" state ib0.8001 "mtu 1280 " "${child[@]}" mtu=1280
	check "the port has addresses" state ib0 . "${port[@]}" ip4=10.0.0.1/24 ip6=fd00::1/64
	check "and reaches others" reaches 1 10.0.0.2
	check "the child, too" state ib0.8001 . "${child[@]}" ip4=10.1.0.1/24 ip6=fd01::1/64
	check "and reaches its partition" reaches 1 fd01::2
	check "the port is removed, and the child with it" absent ib0 ib0.8001
	check "that is gone" verified not link_is 1 ib0.8001 .
done
setup state ib0 "mode datagram" mode=datagram
setup tried ib0.8001 mode=datagram base=ib0 pkey=0x8001
setup eventually link_is 1 ib0.8001 .
check "a child that is not kept is gone" rolled_back not link_is 1 ib0.8001 .
setup state ib0.8001 "mode datagram" mode=datagram base=ib0 pkey=0x8001
setup tried ib0.8001 mode=connected base=ib0 pkey=0x8001
check "it is in another mode" eventually link_is 1 ib0.8001 "mode connected"
check "which is not kept: it is in the one before" rolled_back link_is 1 ib0.8001 "mode datagram"
