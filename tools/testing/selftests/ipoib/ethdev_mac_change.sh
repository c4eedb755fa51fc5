#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# A new MAC address makes a new GID and that a new link address, which the
# other host finds out about.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

address_changed()
{
	local addr

	addr=$(lladdr "$h1")
	[ "$addr" != "$old" ] && [[ $addr == *:5c:00:53:ff:fe:00:00:01 ]]
}

plan 5
two_hosts
old=$(lladdr "$h1")
check "the other host is reached" ping_all "$h1" 10.0.0.2
setup ip link set "$eth1" down
setup ip link set "$eth1" address 5e:00:53:00:00:01
setup ip link set "$eth1" up
check "the link address follows" eventually address_changed
check "carrier" eventually is_up "$h1"
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
check "the other host reaches us" eventually ping_all "$h2" 10.0.0.1 -w 2
