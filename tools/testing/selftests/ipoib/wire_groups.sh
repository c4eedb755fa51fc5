#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No packet goes to a group that the sender did not join, as a member or to
# send only.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
two_hosts
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
setup capture "$eth2"
send_udp "$h1" 239.1.2.3 5000 20
send_udp "$h1" 239.77.1.2 5000 20
send_udp "$h1" ff15::1234 5000 20
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2

decode infiniband ipv6.dst | grep ^ff | sort -u > "$tmp/groups"
note "$(cat "$tmp/groups")"
while read -r mgid; do
	joined "$rdma1" "$mgid" > /dev/null || echo "$mgid"
done < "$tmp/groups" > "$tmp/strangers"
check "239.1.2.3 is ff12:401b:ffff::f01:203" \
	grep -x ff12:401b:ffff::f01:203 "$tmp/groups"
check "239.77.1.2 is ff12:401b:ffff::f4d:102" \
	grep -x ff12:401b:ffff::f4d:102 "$tmp/groups"
check "ff15::1234 is ff12:601b:ffff::1234" \
	grep -x ff12:601b:ffff::1234 "$tmp/groups"
check "each group on the wire was joined" diff /dev/null "$tmp/strangers"
