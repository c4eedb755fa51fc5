#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# IPv4 multicast reaches the hosts that joined the group, once each, and no
# others; who sends does not have to be a member (RFC 4391, 5 and 10).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

# listen N: host N joins the group and writes down what it hears
listen()
{
	local ns=h$1

	background ip netns exec "${!ns}" socat -u \
		"UDP4-RECV:5000,ip-add-membership=$group:ib0" \
		"CREATE:$tmp/heard$1"
	listener=$job
}

heard_all()
{
	# Each once; a veth on two CPUs does not keep them in order.
	diff <(seq 100) <(sort -n "$tmp/heard$1")
}

plan 8
three_hosts
setup quiet_hosts 1 2 3
for ns in "$h1" "$h2" "$h3"; do
	setup ip -n "$ns" route add 239.0.0.0/8 dev ib0
done

listen 2
must "host 2 joins the group" eventually is_member "$rdma2" $mgid
setup eventually receives "$h2" 5000
setup eventually opened "$h1" $group "$rdma2" $mgid
before=$(counter "$h3" rx0_packets)
send_udp "$h1" $group 5000 100
check "host 2 hears host 1, once" eventually heard_all 2
check "host 1 may send, but is no member" is_sender "$rdma1" $mgid
check "host 3 is not disturbed" not grew "$h3" rx0_packets "$before"

end_job "$listener"
check "host 2 leaves the group" eventually not is_member "$rdma2" $mgid
listen 1
must "host 1, a sender, joins it" eventually is_member "$rdma1" $mgid
listen 3
must "host 3 joins it" eventually is_member "$rdma3" $mgid
setup eventually receives "$h1" 5000
setup eventually receives "$h3" 5000
setup eventually opened "$h2" $group "$rdma1" $mgid
setup eventually opened "$h2" $group "$rdma3" $mgid
send_udp "$h2" $group 5000 100
check "both hear host 2" eventually eval heard_all 1 '&&' heard_all 3
