#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# An interface made while duplicate address detection still runs on its
# Ethernet device gets its carrier by itself when that is over; unless the address is a
# duplicate: that is nobody's.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ethdev_up()
{
	ip link set "$1" up
}

rdma_port()
{
	rdma link add "$2" type rxe netdev "$1" && defer rdma link del "$2"
}

# dad_takes SECONDS: from when the Ethernet devices come up
dad_takes()
{
	for eth in "$eth1" "$eth2"; do
		ip link set "$eth" down &&
			echo "$1" > "/proc/sys/net/ipv6/conf/$eth/dad_transmits" &&
			ip link set "$eth" up || return
	done
}

# under_way: on both of them, for the address comes after the carrier
under_way()
{
	local eth

	for eth in "$eth1" "$eth2"; do
		ip -6 -o addr show dev "$eth" scope link tentative | grep . || return
	done
}

says()
{
	status "$rdma1" reason | tee -a /dev/stderr | grep -q "$1"
}

# duplicate: detection has found the address of host 1 to be one
duplicate()
{
	ip -6 -o addr show dev "$eth1" scope link dadfailed | grep .
}

plan 9
setup two_ports
setup dad_takes 1000
setup eventually under_way
check "an interface can be made" host 1
setup host 2
check "it says what it waits for" eventually says tentative
check "and has no carrier" not has_carrier "$h1"

setup dad_takes 2
check "carrier comes by itself" eventually is_up "$h1"
setup eventually is_up "$h2"
check "the other host is reached" ping_all "$h1" 10.0.0.2
address=$(status "$rdma1" gid)

setup ip link set "$eth1" down
setup ip -6 addr add "$address/64" dev "$eth2" nodad
setup ip link set "$eth1" up
setup eventually duplicate
check "an address that another port has: no carrier" not has_carrier "$h1"
check "it says that it has none" eventually says "no GID of the stack on the port"
setup ip -6 addr del "$address/64" dev "$eth2"
setup dad_takes 2
check "no duplicate any more: carrier" eventually is_up "$h1"
setup eventually is_up "$h2"
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
