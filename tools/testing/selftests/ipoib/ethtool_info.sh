#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ethtool says what the interface is, how large its rings are, how fast the
# port is, and counts under the names that the documentation gives.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# tells PATTERN OPTION...
tells()
{
	in_ns "$h1" ethtool "${@:2}" ib0 | grep -E -- "$1"
}

# rings_are RX TX RX TX: at most, and there
rings_are()
{
	in_ns "$h1" ethtool -g ib0 | sed -n 's/^[RT]X:[[:space:]]*//p' | tee -a /dev/stderr |
		diff - <(printf '%s\n' "$@")
}

# has NAME...: counters of that name, and in that order
has()
{
	in_ns "$h1" ethtool -S ib0 | sed -n 's/^ *\([a-z0-9_]*\):.*/\1/p' |
		grep -xF "$(printf '%s\n' "$@")" | diff <(printf '%s\n' "$@") -
}

plan 9
two_hosts
check "-i: the driver" tells '^driver: ipoib$' -i
check "-i: its RDMA device" tells "^bus-info: ${rdma1%%[0-9]*}" -i
check "-g: both rings" rings_are 1024 256 256 256
read -r speed _ < "/sys/class/infiniband/$rdma1/ports/1/rate"
speed=$(awk "BEGIN { print $speed * 1000 }")
check "the speed of the port" tells "Speed: ${speed}Mb/s"
check "debugfs has it, too" [ "$(status "$rdma1" speed)" = "$speed" ]
check "the link" tells 'Link detected: yes'
check "-S: queues and control" has \
	tx0_{packets,bytes,doorbells,signaled,stops,segmented} \
	rx0_{packets,bytes,multicast,polls,posts,copied,alloc_failed,unsummed} \
	conn_tx_{packets,bytes,doorbells,signaled,stops,segmented} \
	conn_rx_{packets,bytes,multicast,polls,posts,copied,alloc_failed,unsummed} \
	qp_recoveries peers groups port_{q,p}key_violations connections \
	conn_refused_{stale,elsewhere,full,foreign,kind,malformed} tx_timeouts
check "-S: drops by reason" has \
	drop_tx_{malformed,unknown_proto,too_long,no_peer,no_path,no_member,queue_full} \
	drop_tx_{no_memory,map,post,flushed,stalled,down} \
	drop_rx_{runt,oversize,unknown_proto,conn_arp,no_grh,own,no_memory,error,down}
setup ip -n "$h1" link set ib0 down
check "-S: while it is down there is no connection" [ "$(counter "$h1" connections)" = 0 ]
