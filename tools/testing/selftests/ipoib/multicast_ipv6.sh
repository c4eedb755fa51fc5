#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: profiles
#
# IPv6 multicast reaches the hosts that joined the group, once each, and no
# others.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=ff15::1234:5678
mgid=ff12:601b:ffff::1234:5678

heard_all()
{
	# Each once; a veth on two CPUs does not keep them in order.
	diff <(seq 100) <(sort -n "$tmp/heard")
}

# shown: what host 3 has captured until now; a packet to it comes behind that
shown()
{
	send_udp "$h1" 10.0.0.3 5000 1
	grep " > 10.0.0.3.5000: " "$tmp/disturbed"
}

plan 5
three_hosts
background ip netns exec "$h2" socat -u \
	"UDP6-RECV:5000,ipv6-join-group=[$group]:ib0" "CREATE:$tmp/heard"
must "host 2 joins the group" eventually is_member "$rdma2" $mgid
setup eventually receives "$h2" 5000
setup eventually opened "$h1" $group "$rdma2" $mgid
listener=$job
in_ns "$h3" tcpdump --immediate-mode -l -n -i ib0 udp port 5000 > "$tmp/disturbed" 2>&1 &
defer end_job $!
setup eventually grep "^listening" "$tmp/disturbed"
send_udp "$h1" $group 5000 100
check "host 2 hears host 1, once" eventually heard_all
setup eventually shown
check "host 3 is not disturbed" not grep " > $group.5000: " "$tmp/disturbed"
end_job "$listener"
check "host 2 leaves the group" eventually not is_member "$rdma2" $mgid

# answers NS ADDRESS FROM: who answers a ping to all nodes
answers()
{
	in_ns "$1" ping -c 2 -w 20 "$2" | grep "from $3"
}
peer=$(ip -n "$h3" -6 -o addr show dev ib0 scope link |
	sed 's/.* \(fe80[^/]*\).*/\1/')
# It counts one reply to each request, and that may be anybody's.
check "all nodes hear ff02::1" eventually answers "$h1" ff02::1%ib0 "$peer"
