#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer that has refused connections opens one itself: packets go by that at once, also
# those of an address that differs from another one of the same peer in its flags only.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# So long that the stack comes to know what UD takes, and cuts packets to that
refused_times()
{
	ping_each "$h1" 10.0.0.2 -s 60000 &&
		[ "$(count_peers asked_by=other "transport=$1")" -ge "$2" ]
}

plan 4
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup stand_in_for 2 RC rej:3
check "RC: refused" eventually refused_times RC 1
setup knows "$h1" 10.0.0.2 "$(peer_lladdr 2 "$(status "$rdma2" qpn)" uc)"
# 1 and 2 seconds after the one before, and the next one 4 seconds later
check "UC: refused three times" eventually refused_times UC 3
setup cmpeer forget
setup connected "rc uc" 2
check "it opens a connection" by_connection 2 large "$h2" 10.0.0.1
check "packets go by that at once" by_connection 1 300000 large "$h1" 10.0.0.2
