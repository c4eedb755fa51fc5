#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# Children with the same P_Key talk to each other; those with different ones
# never hear each other, though their ports are members of both partitions and
# their addresses are of one subnet.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# heard: packets that came in at host 3's child
heard()
{
	in_sysfs "$h3" cat /sys/class/net/red/statistics/rx_packets
}

# answers ADDRESS: to pings of everybody
answers()
{
	in_ns "$h1" ping -b -c 3 -i 0.1 -W 5 10.1.0.255 > "$tmp/pings"
	cat "$tmp/pings"
	grep "from $1:" "$tmp/pings"
}

plan 7
partitions+=$red
partitions+=$'\nblue=0x0002, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'
ib_hosts 3
setup child 1 0x8001 red
setup child 2 0x8001 red
setup child 3 0x8002 red
for n in 1 2 3; do
	ns=h$n
	setup child_addresses $n red
	setup eventually is_up "${!ns}" red
done
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "the same P_Key: unicast" ping_all "$h1" 10.1.0.2
# It counts one reply to each request, and that may be its own.
check "the same P_Key: broadcast" eventually answers 10.1.0.2
check "another one: not to broadcasts" not answers 10.1.0.3
check "another one: nobody answers" not ping_all "$h1" 10.1.0.3 -w 1
check "not to IPv6 either" not ping_all "$h1" fd01::3 -w 1
# Even if somebody knows the address.
setup ip -n "$h1" neigh replace 10.1.0.3 dev red lladdr "$(lladdr "$h3" red)"
check "nor if they know the address" not ping_all "$h1" 10.1.0.3 -w 1
check "nothing was heard at all" [ "$(heard)" -eq 0 ]
