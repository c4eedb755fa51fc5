#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, qib or hfi1, for they have one P_Key, or to ask about their ports is no command
#
# An HCA hangs when it is told of groups, and then whatever it is told. Its port answers the
# subnet manager all the same, its interfaces find paths and talk, and nobody waits who only
# asks about them, or changes others.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# More than there are workers for
many=20

# joining N: host 3 joins so many groups, at least
joining()
{
	local n

	n=$(grep -c state=joining "$debug/$rdma3.1.ffff/groups")
	echo "$n of $many"
	[ "$n" -ge "$1" ]
}

# asks_for_groups: each address has one
asks_for_groups()
{
	local n

	for ((n = 1; n <= many; n++)); do
		echo "addr add fd00::3:$n/64 dev ib0 nodad"
	done | ip -n "$h3" -batch -
}

# asks_for_paths: by the child, to so many interfaces on the port of host 1
asks_for_paths()
{
	local n addr

	for ((n = 101; n <= 100 + many; n++)); do
		addr=$(peer_lladdr 1 $n) && ip -n "$h3" neigh replace "10.1.0.$n" dev red \
			lladdr "00${addr:2}" nud permanent &&
			send_udp "$h3" "10.1.0.$n" 9 1 || return
	done
}

hangs()
{
	[ "$(< "$ibdevsim/$rdma3/hanging")" -gt 0 ]
}

# looked_at: to read counters has an interface look at its port, once a second at most
looked_at()
{
	soon ip netns exec "$h3" ethtool -S ib0 > /dev/null && hangs
}

answers_sm()
{
	smpquery -C "$rdma1" nodeinfo "$lid"
}

# soon COMMAND...: waits for nobody
soon()
{
	timeout "$minute" "$@"
}

nobody_waits()
{
	soon ip netns exec "$h3" ethtool -S ib0 &&
		soon ip netns exec "$h3" ethtool -S red &&
		soon ip -n "$h3" -s link show dev red &&
		soon ip -n "$h3" link add other type bridge &&
		soon ip -n "$h3" link del other
}

# paths N: the child has found so many
paths()
{
	local n

	n=$(grep -c '^00:00:00.* state=ready' "$debug/$rdma3.1.8001/peers")
	echo "$n of $many"
	[ "$n" -ge "$1" ]
}

plan 12
partitions+=$red
ib_hosts 3
lid=$(($(< "/sys/class/infiniband/$rdma3/ports/1/lid")))
setup child 3 0x8001 red
setup child_addresses 3 red
setup eventually is_up "$h3" red
setup eventually ping_all "$h3" 10.0.0.1 -w 2

setup ib_knob "$rdma3/hang_attach_mcast" Y
defer ib_knob "$rdma3/hang_attach_mcast" N
setup asks_for_groups
setup eventually joining $many
must "an HCA hangs when groups are joined" eventually hangs
check "its port answers the subnet manager" answers_sm
check "it goes on talking" ping_all "$h3" 10.0.0.1
setup ip -n "$h1" addr add fd00::1:77/64 dev ib0 nodad
check "others join groups" eventually joined "$rdma1" ff12:601b:ffff::1:ff01:77
check "nobody waits" nobody_waits
setup ib_knob "$rdma3/hang_attach_mcast" N
check "in the end all are joined" eventually not joining 1

setup ib_knob "$rdma3/hang_commands" Y
defer ib_knob "$rdma3/hang_commands" N
must "an HCA hangs" eventually looked_at
setup asks_for_paths
check "a child finds paths" eventually paths $many
check "its port answers the subnet manager" answers_sm
check "it goes on talking" ping_all "$h3" 10.0.0.1
check "nobody waits" nobody_waits
check "another HCA can be taken out" soon bash -c 'echo 1 > /sys/devices/ibdevsim/del_hca'
