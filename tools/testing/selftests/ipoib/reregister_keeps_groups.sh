#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# A new subnet manager knows no groups. All are joined anew with it, and neither
# carrier nor members get lost.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

# settled: what there is has been joined, and is in $tmp/before
settled()
{
	! grep -hv 'state=joined\|absent' "$debug"/{"$rdma1","$rdma2"}.1.ffff/groups &&
		sa_members > "$tmp/before" && grep "$mgid" "$tmp/before"
}

same_members()
{
	sa_members > "$tmp/after"
	diff "$tmp/before" "$tmp/after"
}

# heard: the last of what is sent, sooner or later
heard()
{
	send_udp "$h1" $group 5000 100
	grep -x 100 "$tmp/heard"
}

carriers()
{
	in_sysfs "$h1" cat /sys/class/net/ib0/carrier_changes
}

plan 5
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
background ip netns exec "$h2" socat -u \
	"UDP4-RECV:5000,ip-add-membership=$group:ib0" "CREATE:$tmp/heard"
setup eventually is_member "$rdma2" $mgid
send_udp "$h1" $group 5000 1
setup eventually is_sender "$rdma1" $mgid
setup eventually settled
note "$(cat "$tmp/before")"
before=$(carriers)
setup kill_sm sm1
setup start_sm sm1
must "a new subnet manager" eventually subnet_is_up sm1
check "learns of all members of all groups" eventually same_members
check "the driver has them, too" eventually is_member "$rdma2" $mgid
check "the carrier was there all the time" [ "$(carriers)" -eq "$before" ]
setup eventually opened "$h1" $group "$rdma2" $mgid
check "the group is heard" eventually heard
