#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# A port has one IPoIB interface with a P_Key, whichever of its network devices that is made on,
# and it uses the host's RDMA device. So a tenant who was lent a VLAN cannot make it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused: and the tenant is told why
refused()
{
	local said

	said=$(as_tenant "$h1" ip link add link "$eth1.5" name ib7 type ipoib 2>&1) && return 1
	echo "$said"
	[[ $said == *"only the host's administrator may make a port's interface"* ]]
}

plan 3
setup two_ports
setup ip link add link "$eth1" name "$eth1.5" mtu 4200 type vlan id 5
setup tenant "$h1"
setup ip link set "$eth1.5" up
setup ip link set "$eth1.5" netns "$h1"
setup ip -n "$h1" link set "$eth1.5" up
check "the tenant may not" refused
check "nothing is left of it" not ip -n "$h1" link show ib7
check "the host has the interface" ip link add link "$eth1" name ib7 type ipoib
