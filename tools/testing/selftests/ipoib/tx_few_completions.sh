#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Short packets that nobody waits for are sent with few completions, by datagrams and by
# connections. What stays on the rings for that counts as sent.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# few PREFIX: a thousand short datagrams ask for fewer than half as many completions
few()
{
	local packets signaled

	packets=$(counter "$h1" "$1_packets") && signaled=$(counter "$h1" "$1_signaled") || return
	head -c 64000 /dev/zero | in_ns "$h1" socat -u -b 64 - UDP:10.0.0.2:9 || return
	packets=$(($(counter "$h1" "$1_packets") - packets))
	signaled=$(($(counter "$h1" "$1_signaled") - signaled))
	echo "$packets packets, $signaled completions"
	[ "$packets" -ge 1000 ] && [ $((2 * signaled)) -lt "$packets" ]
}

plan 4
two_hosts
# Where nobody listens, each would be answered.
background ip netns exec "$h2" socat -u UDP4-RECV:9 OPEN:/dev/null
setup eventually receives "$h2" 9
setup in_ns "$h1" ping -c 1 -W "$minute" 10.0.0.2
check "datagrams ask for few" eventually few tx
setup connected rc 1 2
setup eventually in_ns "$h1" ping -c 1 -W 1 10.0.0.2
setup eventually has_connection 1 state=established
check "packets of a connection ask for few" eventually few conn_tx
before=$(lost "$h1")
check "the interface goes down" in_ns "$h1" ip link set ib0 down
check "none is lost by that" [ "$(lost "$h1")" = "$before" ]
