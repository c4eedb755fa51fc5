#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A multicast router, known by IFF_ALLMULTI, hears what is sent to each group of the
# link, as NonMember, and to new ones once they are created.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

old=ff12:401b:ffff::f01:203
new=ff12:601b:ffff::1234

# join LISTENER MEMBERSHIP: host 2
join()
{
	background ip netns exec "$h2" socat -u "$1,$2:ib0" /dev/null
	joined_by=$job
}

nonmember()
{
	joined "$rdma3" "$1" nonmember
}

# heard GROUP: by whoever listens to everything on the router
heard()
{
	tcpdump -r "$tmp/heard.pcap" "dst $1" | grep .
}

# sa_nonmember MGID: the subnet manager knows host 3 as one
sa_nonmember()
{
	sa_members | tee "$tmp/members"
	grep "^$1	$(gid "$rdma3")	0x22" "$tmp/members"
}

plan 8
ib_hosts 3
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
join UDP4-RECV:5000 ip-add-membership=239.1.2.3
setup eventually is_member "$rdma2" $old
ip netns exec "$h3" tcpdump -p -i ib0 -U --immediate-mode -w "$tmp/heard.pcap" udp \
	2> "$tmp/tcpdump.log" &
defer end_job $!
setup eventually grep listening "$tmp/tcpdump.log"
check "who is no router is no member" not nonmember $old
setup ip -n "$h3" link set ib0 allmulticast on
check "a router joins the groups that there are" eventually nonmember $old
check "as NonMember, says the subnet manager" eventually sa_nonmember $old
setup eventually opened "$h1" 239.1.2.3 "$rdma3" $old
send_udp "$h1" 239.1.2.3 5000 20
check "it hears what is sent there" eventually heard 239.1.2.3
join UDP6-RECV:5001 ipv6-join-group="[ff15::1234]"
setup eventually is_member "$rdma2" $new
check "it joins new ones" busywait $((patience / 4)) nonmember $new
setup eventually opened "$h1" ff15::1234 "$rdma3" $new
send_udp "$h1" ff15::1234 5000 20
check "and hears what is sent there" eventually heard ff15::1234
end_job "$joined_by"
check "it does not keep groups alive" eventually sa_lacks $new
setup ip -n "$h3" link set ib0 allmulticast off
check "a router no more, it leaves" eventually not nonmember $old
