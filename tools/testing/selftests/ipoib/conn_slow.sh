#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer takes eight messages each two seconds, and there is always more for it. What goes to
# others does not wait: host 2 is sent more packets than that peer has taken.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

pings=300

# connects: the first packets go as datagrams
connects()
{
	send_udp "$h1" 10.0.0.77 9 1 && peers_are 1 qpn=0x000100 state=established
}

# takes_some: for as long as the test runs
takes_some()
{
	while cmpeer take count=8; do
		read -rt 2 -u "$silence"
	done
}

# taken: messages by the slow peer
taken()
{
	find_lines $cmpeer/connections qpn=0x000100 state=established &&
		[[ ${found[0]-} =~ received=([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# others_first: all pings are answered before it has taken as many messages
others_first()
{
	local before now

	before=$(taken) && ping_all "$h1" 10.0.0.2 -i 0 -c "$pings" && now=$(taken) || return
	echo "it has taken $((now - before)) messages meanwhile"
	[ $((now - before)) -lt "$pings" ]
}

# takes_more N: than that
takes_more()
{
	[ "$(taken)" -gt "$1" ]
}

plan 6
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup cmpeer listen "dev=$rdma2" qpn=0x100 recv=0
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
setup eventually connects
takes_some &
defer end_job $!
full=$(counter "$h1" conn_tx_stops)
flood "$h1" 10.0.0.77 -i 0.01
check "more is sent than it takes" eventually grew "$h1" conn_tx_stops "$full"
check "the queue of the interface is open" queue_is_open "$h1"
check "packets to others go on" others_first
setup connected "rc uc" 2
setup eventually large "$h1" 10.0.0.2
check "also by a connection" others_first
before=$(taken)
check "it is sent what it takes" eventually takes_more "$before"
check "it is still connected" peers_are 1 qpn=0x000100 state=established
