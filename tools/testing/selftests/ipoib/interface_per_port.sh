#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# An InfiniBand port has an interface from the moment that it appears until it
# goes, and nobody deletes that. A device without multicast has none, and the log says so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

stays()
{
	ip link del "$1"
	ip link show "$1" && kernel_log | grep "$1: not deleted"
}

# shellcheck disable=SC2034 # this is the warning
expected='no IPoIB on port 1: the device has no multicast'
no_interface()
{
	kernel_log | grep "$1: $expected" &&
		not interface_of "$1"
}

plan 9
setup bare_fabric 2
first=$(interface_of ibdevsim0)
second=$(interface_of ibdevsim1)
check "each port has an interface" [ "${first:-none}" != "${second:-none}" ]
check "its name is ib and a number" expr "$first" : 'ib[0-9]*$'
check "it is what ip takes for one of ipoib" \
	sh -c "ip -d link show $second | grep 'ipoib pkey 0xffff mode datagram'"
check "it says which port it is" grep -x 0 "/sys/class/net/$second/dev_port"
check "it stays when it is deleted, and the log says why" stays "$second"

echo 1 > /sys/devices/ibdevsim/new_hca
check "a new port brings one" eventually interface_of ibdevsim2
echo 1 > /sys/devices/ibdevsim/del_hca
check "it goes with its port" not ip link show "$second"
check "and no other does" ip link show "$first"
setup sh -c 'echo bnxt_re 1 > /sys/devices/ibdevsim/new_hca'
check "a port of a device without multicast brings none" eventually no_interface ibdevsim1
