#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A program that captures all packets (IFF_PROMISC) gets those that arrive. The interface
# joins no group for it, and does not ask the subnet administrator which ones there are.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# joins N: host N is a member of 239.1.2.N
joins()
{
	local ns=h$1 rdma=rdma$1

	background ip netns exec "${!ns}" socat -u \
		"UDP4-RECV:5000,ip-add-membership=239.1.2.$1:ib0" /dev/null
	eventually is_member "${!rdma}" ff12:401b:ffff::f01:20"$1"
}

# asked_for_all: the subnet administrator was asked for a table of groups
asked_for_all()
{
	[ "$(sent 12 0038 0 '')" -ge 1 ]
}

# joined_other: it was asked to make somebody a member of the group of host 2
joined_other()
{
	[ "$(sent 02 0038 0 ff12401bffff0000000000000f010202)" -ge 1 ]
}

plan 5
ib_hosts 3
setup joins 2
setup capture "$eth3"
ip netns exec "$h3" tcpdump -l -n -i ib0 icmp > "$tmp/captured" 2> "$tmp/tcpdump.log" &
defer end_job $!
setup eventually grep listening "$tmp/tcpdump.log"
setup ping_all "$h1" 10.0.0.3
check "what arrives is captured" eventually grep '10.0.0.1 > 10.0.0.3' "$tmp/captured"
# The same work follows the flags of the interface and joins groups.
setup joins 3
check "nobody asked which groups there are" not asked_for_all
check "nor joined that of another host" not joined_other
setup ip -n "$h3" link set ib0 allmulticast on
check "a multicast router asks" eventually asked_for_all
check "and joins it" eventually joined_other
