#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: stock, for our own have no VRFs
# Also: stock
#
# An interface in a VRF: who is in the VRF reaches the neighbours, in either mode, and nobody else
# does; out of it all is as before.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# from_outside: without the VRF there is no way
from_outside()
{
	in_ns "$h1" ping -c 1 -W 2 10.0.0.2 2>&1 | tee -a /dev/stderr | grep -q unreachable
}

plan 6
setup modules vrf
ib_hosts 2
setup ip -n "$h1" link add red type vrf table 10
defer ip -n "$h1" link del red
setup ip -n "$h1" link set red up
setup ip -n "$h1" link set ib0 master red
# Addresses of IPv6 go with the tables.
setup ip -n "$h1" addr replace fd00::1/64 dev ib0
check "from the VRF a neighbour is reached" reaches 1 10.0.0.2 -I red
check "by IPv6" reaches 1 fd00::2 -I red
check "from outside there is no way" from_outside
check "the neighbour reaches it" reaches 2 10.0.0.1
setup connected rc 1 2
check "by connections" eventually by_connection 1 ping_all "$h1" 10.0.0.2 -I red -w 2 -s 4000
setup ip -n "$h1" link set ib0 nomaster
check "out of the VRF all is as before" reaches 1 10.0.0.2
