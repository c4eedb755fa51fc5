#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# What is not IP goes by the connection, too, if it is for one node and is not address
# resolution: TIPC (0x88ca), as long as a connection takes it, from the first frame on.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# come: five frames of host 1, whole
come()
{
	[ "$(grep -c "ib0 *In " "$tmp/background.log")" = 5 ]
}

plan 4
two_hosts
for transport in rc uc; do
	setup connected "$transport" 1 2
	background ip netns exec "$h2" tcpdump -l -n -s 64 -i any \
		"ether proto 0x88ca and greater 30000"
	setup eventually grep "^listening" "$tmp/background.log"
	setup send_frames "$h1" "$h2" 88ca 30000
	check "$transport: all of the long ones arrive" eventually come
	setup end_job "$job"
	check "short ones go by it" eventually by_connection 1 500 send_frames "$h1" "$h2" 88ca 100
done
