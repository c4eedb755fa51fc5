#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ifupdown: a port's interface in connected mode, and a child, which it makes and removes by the
# name.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs ifup
plan 9
partitions+=$red
ib_fabric 2
port 1
setup host 2
setup mode connected 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
machine 1
config 1 /etc/network/interfaces <<- END
	auto ib0
	iface ib0 inet static
		address 10.0.0.1/24
		pre-up echo connected > /sys/class/net/ib0/mode
		mtu 65520

	iface ib0 inet6 static
		address fd00::1/64

	auto ib0.8001
	iface ib0.8001 inet static
		address 10.1.0.1/24
END
check "ifup has no complaint" on 1 ifup -a
check "the interface is as told" eventually link_is 1 ib0 "mtu 65520 "
check "IPv4, 60000 octets" reaches 1 10.0.0.2 -s 60000 -i 1 -c 1
check "IPv6" reaches 1 fd00::2
check "the child reaches its partition" reaches 1 10.1.0.2
check "ifdown has no complaint" on 1 ifdown -a
check "there is no child" not link_is 1 ib0.8001 .
check "the interface is down" link_is 1 ib0 "state DOWN"
check "and has no address" not has_address 1 10.0.0.1
