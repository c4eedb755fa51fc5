#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# Without a GID that the stack owns there is no carrier, and the status says
# why; with another one there is, at another address.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

says()
{
	status "$rdma1" reason | grep -i "$1"
}

has_address()
{
	[[ $(lladdr "$h1") == *:fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:"$1" ]]
}

plan 8
two_hosts
check "nothing to complain about" says none
address=$(ip -6 -o addr show dev "$eth1" scope link | awk '{ print $4 }')
setup ip -6 addr del "$address" dev "$eth1"
check "no address, no carrier" eventually not has_carrier "$h1"
check "the status says why" says "no GID"
setup ip -6 addr add fe80::77/64 dev "$eth1"
check "another address, carrier" eventually is_up "$h1"
check "the link address has it" has_address 77
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2

setup ip -6 addr del fe80::77/64 dev "$eth1"
setup eventually not has_carrier "$h1"
setup ip -6 addr add "$address" dev "$eth1"
check "the old address again, carrier" eventually is_up "$h1"
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
