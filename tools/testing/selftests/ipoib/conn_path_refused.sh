#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Ports have several LIDs, but the device at one end cannot change paths: whoever
# asks, there is a connection at once, and it has one path.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

one_path()
{
	has_connection 1 state=live alternate=no "opened_by=$1"
}

plan 4
# shellcheck disable=SC2034 # for the subnet manager
lmc=1
two_hosts
setup ib_knob "$rdma2/migration" 0
setup connected rc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
check "who can asks" one_path us
check "it answers" by_connection 1 large "$h1" 10.0.0.2
setup mode datagram 1
setup eventually has_no_connection 2
setup connected rc 1 2
setup eventually answers "$h2" 10.0.0.1 -s 20000
check "who cannot asks" one_path peer
check "it answers" by_connection 1 large "$h1" 10.0.0.2
