#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
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
	ib_knob "$rdma1/qp_error" "${qpn#*=}"
}

# ends_by HOW: and another one is there, in the middle of a transfer
ends_by()
{
	qpn=$(qpn_of 1) && "$1" && eventually is_another
}

is_another()
{
	has_connection 1 state=established "transport=$transport" &&
		not has_connection 1 "$qpn"
}

if on_ib; then plan 6; else plan 4; fi
two_hosts
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	check "$transport: closed by the peer" transfer_while ends_by closed
	! on_ib || check "broken here" transfer_while ends_by broken
	check "packets go by the new one" \
		by_connection 1 300000 large "$h1" 10.0.0.2
done
