#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The last listener leaves while somebody sends: the group goes, and the sender
# knows. When there is a listener again, it is heard again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

listen()
{
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:5000,ip-add-membership=$group:ib0" \
		"OPEN:$tmp/heard,creat,append"
	listener=$job
}

absent()
{
	grep "^$mgid .*sendonly,absent" "$debug/$rdma1.1.ffff/groups"
}

plan 6
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
listen
setup eventually is_member "$rdma2" $mgid
send_udp "$h1" $group 5000 1
must "host 1 sends to the group" eventually is_sender "$rdma1" $mgid
end_job "$listener"
check "the listener leaves: there is no group" eventually sa_lacks $mgid
check "the sender knows" busywait 8000 absent
listen
must "it listens again" eventually is_member "$rdma2" $mgid
check "the sender knows that, too" busywait 8000 is_sender "$rdma1" $mgid
setup eventually opened "$h1" $group "$rdma2" $mgid
send_udp "$h1" $group 5000 100
check "and is heard" eventually grep -x 100 "$tmp/heard"
