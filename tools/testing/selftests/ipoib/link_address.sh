#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# The link address (RFC 4391, 9.1.1) is the flags of RFC 4755, the number of the queue pair
# that receives, and a GID of the port; on RoCE one that the stack really owns.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

qpns()
{
	rdma res show qp link "$rdma1/1" | grep -w 'type UD' | grep -F '[ipoib]' |
		sed 's/.* lqpn \([0-9]*\) .*/\1/'
}

owned()
{
	if on_ib; then
		grep -x "$gid" "/sys/class/infiniband/$rdma1/ports/1/gids/0"
	else
		ip -6 -o addr show dev "$eth1" to "$gid" | grep "$eth1"
	fi
}

# port_id NS: that by which tools know which interfaces share a port
port_id()
{
	in_sysfs "$1" cat /sys/class/net/ib0/phys_port_id
}

# keeps_first_address: as programs are told that look for an interface by it
keeps_first_address()
{
	[[ $(ip -n "$h1" -d -o link show dev ib0) != *permaddr* ]]
}

plan 9
two_hosts
addr=$(lladdr "$h1")
note "$addr"
hex=${addr//:/}
gid=$(sed 's/..../&:/g; s/:$//' <<< "${hex:8}")

check "20 octets" [ ${#hex} = 40 ]
check "the first says that RC and UC can be taken" [ "${hex:0:2}" = c0 ]
check "then the number of a queue pair of ipoib" \
	grep -x $((0x${hex:2:6})) <<< "$(qpns)"
check "then a GID from the port's table" \
	grep -x "$gid" "/sys/class/infiniband/$rdma1/ports/1/gids/"[0-7]
check "in the place that the status says" grep -x "$gid" \
	"/sys/class/infiniband/$rdma1/ports/1/gids/$(status "$rdma1" gid_index)"
check "which is that of the port, or of its stack" owned
check "the broadcast address is that of the P_Key's link" \
	grep brd.00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff \
	<<< "$(ip -n "$h1" link show dev ib0)"
if on_ib; then
	check "the port has the number that sysfs gives it" \
		[ "0x$(port_id "$h1")" = "$(port_guid "$rdma1")" ]
else
	check "only a port of InfiniBand has a number" not port_id "$h1"
fi
check "the permanent address is this one" keeps_first_address
