#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A group is left with its last user, and not before.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mgid=ff12:401b:ffff::f01:203

join()
{
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:$1,reuseaddr,ip-add-membership=239.1.2.3:ib0" \
		/dev/null
}

# users N: so many sockets have joined
users()
{
	ip -n "$h2" maddr show dev ib0 | grep -w "239.1.2.3 users $1"
}

plan 4
ib_hosts 2
join 5000
first=$job
join 5001
setup eventually users 2
setup eventually is_member "$rdma2" $mgid
check "the subnet manager has it" eventually sa_has $mgid
end_job "$first"
setup ping_all "$h1" 10.0.0.2
check "one user less: it stays" is_member "$rdma2" $mgid
end_job "$job"
check "the last user goes: the interface leaves" \
	eventually not grep "^$mgid" "$debug/$rdma2.1.ffff/groups"
check "and the subnet manager forgets it" eventually sa_lacks $mgid
