#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The only listener of a group leaves and comes back at once, so that the group is
# deleted and made again with the same LID: whoever sends to it joins it again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

listen()
{
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:5000,ip-add-membership=$group:ib0" "CREATE:$tmp/heard"
}

# heard: when the switch has been told
heard()
{
	send_udp "$h1" $group 5000 1
	grep -x 1 "$tmp/heard"
}

# known_as_sender: to the subnet manager
known_as_sender()
{
	sa_members > "$tmp/members"
	grep "^$mgid	$(gid "$rdma1")	0x24" "$tmp/members" || {
		cat "$tmp/members"
		return 1
	}
}

mlid()
{
	sed -n "s/^$mgid .*mlid=\([^ ]*\) .*/\1/p" "$debug/$rdma1.1.ffff/groups"
}

plan 4
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
listen
setup eventually is_member "$rdma2" $mgid
send_udp "$h1" $group 5000 1
check "who sends is known for it" eventually known_as_sender
before=$(mlid)
for ((i = 0; i < 3; i++)); do
	end_job "$job"
	setup eventually not is_member "$rdma2" $mgid
	listen
	setup eventually is_member "$rdma2" $mgid
done
check "the group is there again" eventually sa_has $mgid
note "LID $before, now $(mlid)"
check "who sends is known for it again" eventually known_as_sender
check "and is heard" eventually heard
