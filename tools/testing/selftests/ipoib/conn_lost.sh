#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The connection goes away in the middle of a transfer: it is made again, and the
# transfer ends as it should.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# closed: the peer ends it
closed()
{
	mode datagram 2 && mode connected 2
}

# broken: its queue pair has an error, here; soft-RoCE cannot be told to
broken()
{
	on_ib || return 0
	connections 1 | sed 's/.*qpn=\([^ ]*\) .*/\1/' \
		> "$ibdevsim/$rdma1/qp_error"
}

plan 6
two_hosts
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	check "$transport: closed by the peer" transfer_while closed
	check "broken here" transfer_while broken
	check "there is one again" eventually by_connection 1 \
		large "$h1" 10.0.0.2
done
