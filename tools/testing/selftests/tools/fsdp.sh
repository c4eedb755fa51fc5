#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The part of OpenFabrics' sanity test that is about IP over InfiniBand, kernel/infiniband/sanity/
# tier1.sh of its fsdp_tests, in its order, on a server and a client: a subnet manager comes and
# goes, a child in a partition that there is not, diagnostics, pings of oneself and of each other,
# and multicast with iperf. What RDMA programs do there takes verbs that ibdevsim lacks.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# another_sm: one comes beside the one that is there, and goes
another_sm()
{
	start_sm sm2 -g "$(port_guid "$rdma2")" &&
		eventually grep -q "Entering STANDBY state" "$tmp/sm2/log" && kill_sm sm2
}

# osmtest_passes: an inventory of the fabric is made
osmtest_passes()
{
	(cd "$tmp" && OSM_TMP_DIR=$tmp osmtest -f c -g "$(port_guid "$rdma1")" -i "$tmp/osmtest.dat")
}

# made_and_deleted N: a child of host N
made_and_deleted()
{
	local ns=h$1

	ip -n "${!ns}" link add link ib0 name ib0.8080 type ipoib pkey 0x8080 &&
		ip -n "${!ns}" --details link show ib0.8080 &&
		ip -n "${!ns}" link delete ib0.8080
}

# pinged N WHOM: host N pings that host, by IPv4 and by the link-local address
pinged()
{
	local ns=h$1 of=h$2 address

	address=$(ip -n "${!of}" -6 -o addr show dev ib0 scope link | grep -o 'fe80::[^/]*') &&
		in_ns "${!ns}" ping -i 0.2 -c 10 "10.0.0.$2" &&
		in_ns "${!ns}" ping -6 -i 0.2 -c 10 "$address%ib0"
}

# in_groups N: host N is in that of all hosts, and so is its port
in_groups()
{
	local rdma=rdma$1

	on "$1" ip maddr show dev ib0 | tee -a /dev/stderr | grep -qw 224.0.0.1 &&
		is_member "${!rdma}" ff12:401b:ffff::1
}

# iperf_hears: datagrams of the client's
iperf_hears()
{
	said 1 iperf "[1-9][0-9.]* [KM]Bytes .*bits/sec"
}

needs iperf osmtest ibstat ibstatus
plan 13
ib_hosts 2
machine 1 2
check "a subnet manager comes and goes" another_sm
check "osmtest makes an inventory" osmtest_passes
check "the server makes and deletes a child" made_and_deleted 1
check "so does the client" made_and_deleted 2
check "ibstat" ibstat
check "ibstatus" ibstatus
check "the server pings itself" pinged 1 1
check "so does the client" pinged 2 2
check "the server pings the client" pinged 1 2
check "the client pings the server" pinged 2 1
for n in 1 2; do
	setup on $n ip route add 224.0.0.0/4 dev ib0
	check "host $n is in groups" in_groups $n
done
setup daemon 1 iperf -u -s -B 224.1.2.3 -i 0.5
setup eventually is_member "$rdma1" ff12:401b:ffff::1:203
setup on 2 iperf -u -c 224.1.2.3 -i 0.5 -t 5
check "iperf hears multicast" iperf_hears
