#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No packet goes to a group that the sender did not join, as a member or to
# send only; and the subnet administrator, where there is one, knows that group.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# hears ADDRESS [OPTION]: host 2 joins the group
hears()
{
	background ip netns exec "$h2" socat -u "$1" /dev/null
}

# without COMMAND...: the groups on the wire that it does not know
without()
{
	local mgid

	while read -r mgid; do
		"$@" "$mgid" > /dev/null || echo "$mgid"
	done < "$tmp/groups"
}

# The other host speaks, too, when it likes: to all IGMPv3 routers
known_to_driver()
{
	joined "$rdma1" "$1" || joined "$rdma2" "$1"
}

known_to_sa()
{
	eventually sa_has "$1"
}

# sends: to all of them, and knows each as a group to send to
sends()
{
	send_udp "$h1" 239.1.2.3 5000 20
	send_udp "$h1" 239.77.1.2 5000 20
	send_udp "$h1" ff15::1234 5000 20
	is_sender "$rdma1" ff12:401b:ffff::f01:203 &&
		is_sender "$rdma1" ff12:401b:ffff::f4d:102 &&
		is_sender "$rdma1" ff12:601b:ffff::1234
}

on_ib && results=5 || results=4
plan "$results"
two_hosts
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
hears UDP4-RECV:5000,ip-add-membership=239.1.2.3:ib0
hears UDP4-RECV:5001,ip-add-membership=239.77.1.2:ib0
hears "UDP6-RECV:5002,ipv6-join-group=[ff15::1234]:ib0"
setup eventually is_member "$rdma2" ff12:401b:ffff::f01:203
setup eventually is_member "$rdma2" ff12:401b:ffff::f4d:102
setup eventually is_member "$rdma2" ff12:601b:ffff::1234
setup capture "$eth2"
setup eventually sends
sends
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2

decode infiniband "$to_gid" | grep ^ff | sort -u > "$tmp/groups"
note "$(cat "$tmp/groups")"
check "239.1.2.3 is ff12:401b:ffff::f01:203" \
	grep -x ff12:401b:ffff::f01:203 "$tmp/groups"
check "239.77.1.2 is ff12:401b:ffff::f4d:102" \
	grep -x ff12:401b:ffff::f4d:102 "$tmp/groups"
check "ff15::1234 is ff12:601b:ffff::1234" \
	grep -x ff12:601b:ffff::1234 "$tmp/groups"
check "each group on the wire was joined" \
	[ -z "$(without known_to_driver)" ]
! on_ib || check "each is known to the subnet administrator" \
	[ -z "$(without known_to_sa)" ]
