#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# rmmod ipoib with eighteen interfaces, all of which send and receive: they go, and do not hang. How long
# that took is said.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

children=8

# with_keys: the P_Keys of the children
with_keys()
{
	local n

	for ((n = 1; n <= children; n++)); do
		partitions+="
			p$n=0x7$n, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;"
	done
}

# has_children HOST: on each P_Key, 10.0.N.HOST on that of number N
has_children()
{
	local n ns=h$1

	for ((n = 1; n <= children; n++)); do
		echo "link add link ib0 name c$n type ipoib pkey 0x807$n"
		echo "link set c$n up"
		echo "addr add 10.0.$n.$1/24 brd + dev c$n"
	done | ip -n "${!ns}" -batch -
}

all_reach()
{
	local n

	for ((n = 1; n <= children; n++)); do
		ping_all "$h1" "10.0.$n.2" -w 2 || return
	done
}

all_busy()
{
	local n

	for ((n = 1; n <= children; n++)); do
		flood "$h1" "10.0.$n.2"
	done
	for ((n = 1; n <= children; n++)); do
		eventually grew "$h2" rx0_packets 300 c$n || return
	done
}

removed()
{
	local began=${EPOCHREALTIME/./}

	within 60 rmmod ipoib || return
	took=$(((${EPOCHREALTIME/./} - began) / 1000))
}

plan 3
with_keys
ib_hosts 2
setup has_children 1
setup has_children 2
setup eventually all_reach
setup traffic
setup all_busy
check "the module goes" removed
note "it took ${took-} ms"
check "its interfaces are gone" not ip -n "$h1" link show c1
check "the module comes back" load_ipoib
