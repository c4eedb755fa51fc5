#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many large packets at once to a peer without a connection: as many wait for it as
# its ring holds, and it stays.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# burst: eighty datagrams, from so many sockets that none of them has to wait
burst()
{
	local jobs=()

	for _ in 1 2 3 4 5 6 7 8; do
		head -c 50000 /dev/zero |
			in_ns "$h1" socat -u -b 5000 - UDP:10.0.0.2:9 &
		jobs+=($!)
	done
	wait "${jobs[@]}"
}

plan 4
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup stand_in_for 2 RC silent
setup burst
setup eventually peers_are 1 state=req_rcvd
# At once: on RoCE the request is given up after seven seconds.
cmpeer reply
check "not all could wait" eventually grew "$h1" drop_tx_queue_full 0
check "as many as the ring holds do" eventually peers_are 1 state=established received=32
check "none found the ring full" not grew "$h1" drop_tx_stalled 0
check "the connection is there" has_connection 1 state=established sent=32
