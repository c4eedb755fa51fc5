#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they receive no message of 65524 octets
#
# A partition may have several children on a port, that of the parent, too: each is an interface
# of its own. They reach each other and other hosts, as pods do that ipoib-cni makes them for.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# pod N NETNS ARGUMENT...: a child of host 1 there, with the address 10.0.0.N
pod()
{
	ip -n "$h1" link add link ib0 name pod netns "$2" type ipoib "${@:3}" &&
		ip -n "$2" addr add "10.0.0.$1/24" dev pod &&
		ip -n "$2" link set pod up
}

pkey_is()
{
	ip -n "$1" -d link show pod | tee -a /dev/stderr | grep " pkey $2 "
}

# reaches NETNS ADDRESS
reaches()
{
	in_ns "$1" ping -q -c 2 -i 0.1 -W 1 "$2"
}

# directories N: of the default partition on that port, each of another interface
directories()
{
	[ "$(cat "$debug/$rdma1.1.ffff"*/status | grep ^qpn: | sort -u | wc -l)" -eq "$1" ]
}

plan 12
ib_hosts 2
setup netns "$h3" "$h3-4"
check "without a P_Key" pod 3 "$h3"
check "it has that of the parent" pkey_is "$h3" 0xffff
check "without bit 15, that of the parent and of another child" \
	pod 4 "$h3-4" pkey 0x7fff umcast 1
check "it has bit 15" pkey_is "$h3-4" 0xffff
check "they come up" eventually is_up "$h3" pod
setup eventually is_up "$h3-4" pod
check "each has its directory" directories 3
check "they reach each other" eventually reaches "$h3" 10.0.0.4
check "and the parent" eventually reaches "$h3" 10.0.0.1
check "and another host" eventually reaches "$h3" 10.0.0.2
for ns in "$h3" "$h3-4"; do
	setup ip -n "$ns" link set pod type ipoib mode connected
done
check "each other by connections, too" \
	eventually in_ns "$h3" ping -q -c 1 -W 1 -M "do" -s 60000 10.0.0.4
setup ip -n "$h3" link del pod
check "one goes" eventually directories 2
check "the others stay" eventually reaches "$h3-4" 10.0.0.1
