#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not hfi1, for on Omni-Path a connection has one path
#
# Ports have several LIDs, but the device at one end cannot change paths: whoever
# asks, there is a connection at once, and it has one path.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

one_path()
{
	has_connection 1 state=established alternate=no "opened_by=$1"
}

# offers LID: each REQ has an alternate path to it; to 0 is none
offers()
{
	decode infiniband.cm.req infiniband.cm.req.alt_remotelid | sort -u |
		diff - <(echo "$1")
}

plan 6
# shellcheck disable=SC2034 # for the subnet manager
lmc=1
two_hosts
setup ib_knob "$rdma2/migration" 0
setup capture
setup connected rc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
check "who can asks" one_path us
setup end_capture
check "for two, by the second LID" \
	offers $(($(< "/sys/class/infiniband/$rdma2/ports/1/lid") + 1))
check "it answers" by_connection 1 300000 large "$h1" 10.0.0.2
setup mode datagram 1
setup eventually nothing_of conn
setup capture
setup connected rc 1 2
setup eventually answers "$h2" 10.0.0.1 -s 20000
check "who cannot asks" one_path peer
setup end_capture
check "for one" offers 0
check "it answers" by_connection 1 300000 large "$h1" 10.0.0.2
