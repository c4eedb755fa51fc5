#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Thousands of REQs, as fast as they can be sent, and those that are accepted
# are never completed. What is kept of them is bounded, a host gets its
# connection, and the interface goes down as soon as ever.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=64
many=$(much 2000)

# bounded: by the limit, and some that are being closed
bounded()
{
	[ "$(connections 1 | wc -l)" -le $((limit + 16)) ]
}

flood_reqs()
{
	ask_host 1 fake=1 answer=silent timeout=24 "qpn=$1" count="$many" &&
		bounded
}

# QP1 of soft-RoCE drops what it has no buffer for.
none_unheard()
{
	! on_ib || peers_are 0 state=failed
}

gets_connection()
{
	ping_all "$h2" 10.0.0.1 && has_connection 2 state=live
}

plan 8
two_hosts
setup connected "rc uc" 1 2
setup cm_peers
check "$many REQs" flood_reqs 0x10000
check "another $many" flood_reqs 0x20000
check "all are answered" eventually all_decided
check "each of them" none_unheard
check "what is kept of them is bounded" bounded
note "$(count_peers state=replied) accepted, $(count_peers state=refused) refused"
check "a host gets its connection" eventually gets_connection
setup ask_host 1 fake=1 answer=silent timeout=24 qpn=0x30000 count="$many"
check "the interface goes down" within 40 ip -n "$h1" link set ib0 down
check "nothing is left" eventually nothing_of conn
