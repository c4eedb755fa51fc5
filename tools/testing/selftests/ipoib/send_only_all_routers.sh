#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Packets for a group that does not exist go to the group of all routers, of IPv4 or of
# IPv6, if that exists: routers know about listeners elsewhere (RFC 4391, 5). That comes
# before multicast-to-broadcast.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# mlid MGID
mlid()
{
	printf '%d\n' "$(sed -n "s/^$1 .*mlid=\([^ ]*\) .*/\1/p" \
		"$debug/$rdma2.1.ffff/groups")"
}

# way_is_open ADDRESS MGID END: from the address, whose link address ends so, to the
# group of routers, and the sender has been told which
way_is_open()
{
	opened "$h1" "$1" "$rdma2" "$2" &&
		grep "$3 state=ready" "$debug/$rdma1.1.ffff/peers"
}

# to_routers ip|ipv6 ADDRESS MGID END
to_routers()
{
	local before

	must "host 2 is a router, $1" eventually is_member "$rdma2" "$3"
	# The first may get lost while it is found out that there is no such group.
	send_udp "$h1" "$2" 5000 1
	must "host 1 joins the group of routers" eventually is_sender "$rdma1" "$3"
	setup eventually way_is_open "$2" "$3" "$4"
	setup capture "$h1"
	before=$(counter "$h2" rx0_multicast)
	send_udp "$h1" "$2" 5000 20
	check "the router gets the packets" \
		eventually grew "$h2" rx0_multicast $((before + 19))
	decode "$1 && udp.dstport == 5000" infiniband.lrh.dlid > "$tmp/lids"
	check "by the LID of its group" [ "$(tail -n 1 "$tmp/lids")" = "$(mlid "$3")" ]
}

plan 9
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup in_ns "$h1" ethtool --set-priv-flags ib0 multicast-to-broadcast on
background ip netns exec "$h2" socat -u \
	"UDP4-RECV:5001,ip-add-membership=224.0.0.2:ib0" /dev/null
to_routers ip 239.1.2.3 ff12:401b:ffff::2 :0f:01:02:03
background ip netns exec "$h2" socat -u \
	"UDP6-RECV:5002,ipv6-join-group=[ff02::2]:ib0" /dev/null
to_routers ipv6 ff15::7777 ff12:601b:ffff::2 :77:77
check "and there is no other group for them" \
	sa_lacks ff12:401b:ffff::f01:203
