#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ipoib-cni, by which Kubernetes gives pods an interface each: it adds a child with the P_Key of
# the parent without bit 15, in the mode of the parent and with umcast, to the network namespace of
# the host, moves that to the pod's, names it, gives it an address, and takes it away again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# add_pod N NETNS: what cmdAdd of the plugin asks for, by netlink, in this order
add_pod()
{
	local pkey

	pkey=$(in_sysfs "$h1" cat /sys/class/net/ib0/pkey) &&
		ip -n "$h1" link add link ib0 name "tmp$1" type ipoib \
			pkey $((pkey & 0x7fff)) mode "$mode" umcast 1 &&
		ip -n "$h1" link set "tmp$1" netns "$2" &&
		ip -n "$2" link set "tmp$1" name net1 &&
		ip -n "$2" link set net1 up &&
		ip -n "$2" addr add "10.0.0.$1/24" dev net1
}

# pods_up: their carrier, which add_pod() does not wait for
pods_up()
{
	is_up "$h3" net1 && is_up "$h3-4" net1
}

plan 15
ib_hosts 2
setup netns "$h3" "$h3-4"
for mode in datagram connected; do
	size=1000
	[ $mode = datagram ] || size=60000
	setup mode $mode 1 2
	check "$mode: a pod" add_pod 3 "$h3"
	check "and another one" add_pod 4 "$h3-4"
	setup eventually pods_up
	ip -n "$h3" -d link show net1 > "$tmp/link"
	check "in this mode, with the partition of the host" \
		grep "pkey 0xffff mode $mode umcast 0*1" "$tmp/link"
	for to in 10.0.0.4 10.0.0.1 10.0.0.2; do
		check "it reaches $to" eventually ping_all "$h3" $to -w 2 -c 2 -s $size
	done
	check "they are taken away" ip -n "$h3" link del net1
	setup ip -n "$h3-4" link del net1
done
check "the host is reached as before" eventually ping_all "$h2" 10.0.0.1 -w 2
