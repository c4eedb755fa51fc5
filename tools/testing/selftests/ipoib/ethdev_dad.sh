#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An interface made while duplicate address detection still runs on its
# Ethernet device gets its carrier by itself when that is over.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
ethdev_up()
{
	ip link set "$1" up
}
rdma_port()
{
	rdma link add "$2" type rxe netdev "$1" || return
	defer rdma link del "$2"
}
# Long enough for the interfaces to be there first.
dad_takes()
{
	echo "$2" > "/proc/sys/net/ipv6/conf/$1/dad_transmits"
}
setup ip link add "$eth1" mtu 9000 type veth peer name "$eth2" mtu 9000
defer ip link del "$eth1"
for n in 1 2; do
	eth=eth$n rdma=rdma$n
	setup dad_takes "${!eth}" 15
	setup ethdev_up "${!eth}"
	setup rdma_port "${!eth}" "${!rdma}"
done
check "an interface can be made" host 1
check "and waits" not has_carrier "$h1"
setup host 2
check "carrier comes by itself" eventually has_carrier "$h1"
setup eventually has_carrier "$h2"
check "the other host is reached" ping_all "$h1" 10.0.0.2
