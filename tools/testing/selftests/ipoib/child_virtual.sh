#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Only the interface of a port stands for that in sysfs, with the port's device. Children are
# virtual: who looks for the interfaces of a device finds one for each port.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

net=/sys/class/net

# is_virtual NAME: and says nothing of a device or port
is_virtual()
{
	local parent

	readlink "$net/$1"
	parent=$(ip -d link show "$1" | grep -o 'parentdev [^ ]*')
	[ "$(readlink "$net/$1")" = "../../devices/virtual/net/$1" ] &&
		[ ! -e "$net/$1/device" ] && [ -z "$parent" ]
}

# on_device: the interfaces that the RDMA device's own device has
on_device()
{
	ls "/sys/class/infiniband/$rdma1/device/net"
}

plan 5
one_interface
setup ip link add link "$ib" name kid type ipoib pkey 0x8001
check "a child by ip" is_virtual kid
setup sh -c "echo 0x8002 > $net/$ib/create_child"
check "a child by create_child" is_virtual "$ib.8002"
check "the port's own is not" not is_virtual "$ib"
check "it alone is the device's" [ "$(on_device)" = "$ib" ]
check "by ethtool a child tells its device all the same" \
	grep -x "bus-info: ${rdma1%%[0-9]*}.*" <<< "$(ethtool -i kid)"
