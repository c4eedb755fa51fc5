#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Three packets in a hundred are lost. Over RC nobody notices; over UC some messages are
# lost, and the connection stays.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# lose TRANSPORT: some of its packets; on RoCE of all
lose()
{
	if on_ib; then
		ib_knob "drop_${1}_ppm" 30000
	else
		modules sch_netem &&
			tc qdisc replace dev "$eth1" root netem loss 3% &&
			tc qdisc replace dev "$eth2" root netem loss 3%
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
	in_ns "$h1" ping -q -c 300 -i 0.01 -W 5 10.0.0.2 -s 1000 |
		tee "$tmp/ping"
	received=$(sed -n 's/.*, \([0-9]*\) received.*/\1/p' "$tmp/ping")
	[ "$received" -lt 300 ] && [ "$received" -gt 240 ]
}

# connects TRANSPORT
connects()
{
	setup connected "${1,,}" 1 2
	setup ping_all "$h1" 10.0.0.2
	must "$1: a connection" \
		eventually has_connection 1 "transport=$1" state=established
	qpn=$(qpn_of 1)
	setup lose "${1,,}"
}

# nothing_lost: over one and the same connection. One that fails because a CPU was away for half a
# second, in which it has sent a packet eight times, says nothing about loss
nothing_lost()
{
	local try

	for try in 1 2 3; do
		qpn=$(qpn_of 1)
		by_connection 1 $((pings * 5000)) \
			ping_all "$h1" 10.0.0.2 -c "$pings" -i 0.1 -s 5000 &&
			has_connection 1 "$qpn" state=established && return
		echo "try $try"
		! has_connection 1 "$qpn" || return 1
	done
	return 1
}

pings=$(much 160)

plan 6
two_hosts
connects RC
# Of two packets each, and as many back. While one is sent again, few others may wait: the
# answers come all at once then, and the socket of ping has room for some dozen of them.
check "nothing is lost, and the connection stays" nothing_lost
setup lose_nothing rc

connects UC
check "some messages are lost" by_connection 1 300000 some_lost
setup lose_nothing uc
check "the connection is the same" has_connection 1 "$qpn" state=established
check "and carries on" by_connection 1 300000 large "$h1" 10.0.0.2
