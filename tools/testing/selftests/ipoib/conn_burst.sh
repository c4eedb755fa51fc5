#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many large packets at once to a peer without a connection: as many as its ring
# holds wait for it, and it stays.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# burst: eighty datagrams, of as many sockets as have room for them
burst()
{
	local i jobs=()

	for i in 1 2 3 4; do
		head -c 100000 /dev/zero |
			in_ns "$h1" socat -u -b 5000 - UDP:10.0.0.2:9 &
		jobs+=($!)
	done
	wait "${jobs[@]}"
}

plan 4
two_hosts
setup connected "rc uc" 1 2
setup knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
setup burst
check "a ringful arrives" eventually grew "$h2" conn_rx_packets 31
check "others had to go" grew "$h1" drop_tx_queue_full 0
check "but not for want of room on the ring" not grew "$h1" drop_tx_stalled 0
check "the connection carries on" by_connection 1 large "$h1" 10.0.0.2
