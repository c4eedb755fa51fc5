#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Packets for a group that does not exist go to the group of all routers, if
# that exists: routers know about listeners elsewhere (RFC 4391, 5).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

routers=ff12:401b:ffff::2

mlid()
{
	printf '%d\n' "$(sed -n "s/^$routers .*mlid=\([^ ]*\) .*/\1/p" \
		"$debug/$rdma2.1.ffff/groups")"
}

# way_is_open: to the router, and the sender has been told which
way_is_open()
{
	opened "$h1" 239.1.2.3 "$rdma2" $routers &&
		grep ':0f:01:02:03 state=ready' "$debug/$rdma1.1.ffff/peers"
}

plan 5
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
background ip netns exec "$h2" socat -u \
	"UDP4-RECV:5001,ip-add-membership=224.0.0.2:ib0" /dev/null
must "host 2 is a router" eventually is_member "$rdma2" $routers
setup capture "$h1"
# The first may get lost while it is found out that there is no such group.
send_udp "$h1" 239.1.2.3 5000 1
must "host 1 joins the group of routers" eventually is_sender "$rdma1" $routers
setup eventually way_is_open
before=$(counter "$h2" rx0_multicast)
send_udp "$h1" 239.1.2.3 5000 20
check "the router gets the packets" \
	eventually grew "$h2" rx0_multicast $((before + 19))
decode "ip.dst == 239.1.2.3" infiniband.lrh.dlid > "$tmp/lids"
check "by the LID of its group" [ "$(tail -n 1 "$tmp/lids")" = "$(mlid)" ]
check "and there is no other group for them" \
	sa_lacks ff12:401b:ffff::f01:203
