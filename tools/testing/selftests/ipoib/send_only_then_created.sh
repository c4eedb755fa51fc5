#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A host sends to a group that does not exist. When somebody begins to listen,
# the subnet manager reports the new group, and the packets reach it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

# A few a second, for a minute.
sender()
{
	local i

	for ((i = 1; i < 300; i++)); do
		echo $i > /dev/udp/239.1.2.3/5000
		sleep 0.2
	done
}

plan 5
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
export -f sender
background ip netns exec "$h1" bash -c sender
before=$(counter "$h1" drop_tx_no_member)
check "nobody listens: dropped" \
	eventually grew "$h1" drop_tx_no_member $((before + 5))
check "there is no group" sa_lacks $mgid
background ip netns exec "$h2" socat -u \
	"UDP4-RECV:5000,ip-add-membership=$group:ib0" "CREATE:$tmp/heard"
must "somebody listens" eventually is_member "$rdma2" $mgid
# The back-off for a group that is absent may be at 16 s by now.
check "the sender learns of it at once" busywait 8000 is_sender "$rdma1" $mgid
check "and is heard" eventually grep . "$tmp/heard"
