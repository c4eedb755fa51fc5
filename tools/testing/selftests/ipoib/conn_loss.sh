#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One packet in a hundred is lost. Over RC nobody notices; over UC some messages are
# lost, and the connection stays.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# lose TRANSPORT: some of its packets; on RoCE of all
lose()
{
	if on_ib; then
		ib_knob "drop_${1}_ppm" 10000
	else
		modprobe sch_netem &&
			tc qdisc replace dev "$eth1" root netem loss 1% &&
			tc qdisc replace dev "$eth2" root netem loss 1%
	fi
}

# lose_nothing TRANSPORT
lose_nothing()
{
	if on_ib; then
		ib_knob "drop_${1}_ppm" 0
	else
		tc qdisc del dev "$eth1" root && tc qdisc del dev "$eth2" root
	fi
}

some_lost()
{
	in_ns "$h1" ping -q -c 1000 -i 0.005 -W 10 10.0.0.2 -s 1000 |
		tee "$tmp/ping"
	received=$(sed -n 's/.*, \([0-9]*\) received.*/\1/p' "$tmp/ping")
	[ "$received" -lt 1000 ] && [ "$received" -gt 900 ]
}

plan 4
two_hosts
setup connected rc 1 2
setup ping_all "$h1" 10.0.0.2
setup lose rc
setup steady "$h1" 10.0.0.2 -s 3000
setup goes_on 1000
check "RC: nothing is lost" none_lost
setup lose_nothing rc

setup connected uc 1 2
setup ping_all "$h1" 10.0.0.2
connection=$(connections 1 | sed 's/ transport.*//')
setup lose uc
check "UC: some messages are lost" some_lost
setup lose_nothing uc
check "the connection is the same" has_connection 1 "$connection" state=live
check "and carries on" by_connection 1 large "$h1" 10.0.0.2
