#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have no UC
#
# All connections share receive buffers, and a port that has as many connections as it may
# begins a message by each of them that it never ends. There are buffers for others all the
# same, however many connections there may be.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# kept: buffers that host 1 has posted, and that have been taken for a message
kept()
{
	local posted

	posted=$(sed 's/.* posted //' "$ibdevsim/ibdevsim0/srqs") &&
		echo $(($(status "$rdma1" conn_buffers_posted) - posted))
}

# begins_many: of most messages a part is lost
begins_many()
{
	cmpeer send count=1 size=20000
	[ "$(kept)" -ge 100 ]
}

plan 4
three_hosts
setup one_queue 1
setup connected "rc uc" 1
setup connected rc 3
setup in_ns "$h1" ethtool -L ib0 other 1200
setup eventually is_up "$h1"
setup cm_peers
setup ask_in_turn 34 136 0x100 transport=uc
check "128 connections" eventually peers_are 128 state=established
check "and no more of one port" peers_are 8 state=refused reason=3
setup ib_knob drop_uc_ppm 500000
check "messages that do not end keep 100 buffers" eventually begins_many
setup ib_knob drop_uc_ppm 0
check "others reach the host by a connection" by_connection 3 large "$h3" 10.0.0.1
