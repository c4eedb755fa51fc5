#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The interfaces of a port and their children lie in sysfs where those of ib_ipoib do, and
# say the same of the device and of the port.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# place NAME: in sysfs, but for the name, and what it says of the port
place()
{
	local path=/sys/class/net/$1

	readlink "$path" | sed 's|[^/]*$||'
	readlink "$path/device"
	cat "$path/dev_id" "$path/dev_port"
}

# same_place NAME OTHER
same_place()
{
	diff <(place "$1") <(place "$2")
}

plan 2
setup load_theirs
defer rmmod ib_ipoib
setup bare_fabric 1
setup eventually interface_of "$rdma1"
ours=$(interface_of "$rdma1")
theirs=$(their_interface "$rdma1")
check "the interface of a port" same_place "$ours" "$theirs"
for name in "$ours" "$theirs"; do
	setup sh -c "echo 0x8001 > /sys/class/net/$name/create_child"
	defer sh -c "echo 0x8001 > /sys/class/net/$name/delete_child"
done
check "a child" same_place "$ours.8001" "$theirs.8001"
