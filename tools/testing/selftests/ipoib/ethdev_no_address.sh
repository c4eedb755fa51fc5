#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# A neighbour of the Ethernet device whose address is still zero is not found yet: there is no
# path to it, and one as soon as it has an address.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows ETHDEV OTHER LLADDR: that of the other Ethernet device, by its GID
knows()
{
	local gid

	gid=$(ip -6 -o addr show dev "$2" scope link | grep -o 'fe80:[^/]*')
	ip -6 neigh replace "$gid" dev "$1" lladdr "$3" nud permanent
}

plan 3
setup two_ports
setup knows "$eth1" "$eth2" 00:00:00:00:00:00
setup knows "$eth2" "$eth1" "$(< "/sys/class/net/$eth1/address")"
setup host 1 2
setup eventually is_up "$h1"
setup eventually is_up "$h2"
before=$(counter "$h1" drop_tx_no_path)
check "the other host is not reached" not ping_all "$h1" 10.0.0.2 -w 1
check "for there is no path" eventually grew "$h1" drop_tx_no_path "$before"
setup knows "$eth1" "$eth2" "$(< "/sys/class/net/$eth2/address")"
check "with an address it is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
