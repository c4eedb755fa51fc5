#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Any process of a host may ask for a connection in the name of that host's interface, by
# RDMA CM. While the interface has one that works it is told so, and that stays. If the
# interface has asked for it, and asks for another, or so it seems, it is asked itself: no
# process can answer for it. Nothing is lost over that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# stranger: what a process of host 2 is told that has no privileges
stranger()
{
	in_ns "$h2" "${nobody[@]}" "$tmp/rdma_cm_ask" connect \
		"$(lladdr "$h2")" "$(lladdr "$h1")"
}

# refused TIMES: for that there is a connection
refused()
{
	local i said

	for ((i = 0; i < $1; i++)); do
		said=$(stranger)
		echo "$said"
		[ "$said" = "refused 10" ] || return
	done
}

# takes_none LLADDR: the same without flags, so nobody asks it for a connection
takes_none()
{
	echo "00${1:2}"
}

# opened_by us|peer: the connection that host 1 has, to a host that knows host 1
opened_by()
{
	mode datagram 1 2 && eventually nothing_of conn && connected rc 1 2 || return
	if [ "$1" = us ]; then
		knows "$h2" 10.0.0.1 "$(takes_none "$(lladdr "$h1")")" &&
			eventually by_connection 1 answers "$h1" 10.0.0.2
	else
		knows "$h1" 10.0.0.2 "$(takes_none "$(lladdr "$h2")")" &&
			knows "$h2" 10.0.0.1 "$(lladdr "$h1")" &&
			eventually by_connection 2 answers "$h2" 10.0.0.1 &&
			knows "$h1" 10.0.0.2 "$(lladdr "$h2")" &&
			eventually by_connection 1 answers "$h1" 10.0.0.2
	fi
	has_connection 1 "opened_by=$1" state=established
}

is_old()
{
	find_connections 1 state=established && [[ ${found[0]-} =~ age_ms=([0-9]+) ]] &&
		[ "${BASH_REMATCH[1]}" -gt 10000 ]
}

plan 7
setup modules rdma_ucm
two_hosts
setup cp "${OUTPUT:-$here}/rdma_cm_ask" "$tmp"
setup chmod 755 "$tmp"
setup opened_by us
setup steady "$h1" 10.0.0.2 -i 0.1
qpn=$(qpn_of 1)
check "host 1 has opened it: a stranger is refused" refused 5
check "the connection stays" has_connection 1 "$qpn" state=established
check "nothing was lost" none_lost

setup opened_by peer
setup steady "$h1" 10.0.0.2 -i 0.1
# It misses its connection at once, and has the larger address: the requests may cross.
setup flood "$h2" 10.0.0.1 -i 0.01
before=$(counter "$h1" conn_refused_stale)
setup eventually is_old
check "host 2 has opened it, long ago: a stranger is refused" refused 1
check "that is counted" grew "$h1" conn_refused_stale "$before"
check "and host 2 itself is asked" eventually has_connection 1 state=established opened_by=us
check "nothing was lost" none_lost
