#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Nothing confirms what goes by UC: the connection of a peer that has forgotten it
# looks as good as any. One that only sends, and never hears anything, is made anew
# now and then.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
two_hosts
setup connected uc 1
setup cm_peers
setup cmpeer listen "dev=$rdma2" qpn=0x100
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100 uc)"
setup flood "$h1" 10.0.0.77 -i 0.1
must "there is a connection" eventually peers_are 1 asked_by=other state=established
setup eventually has_connection 1 state=established
cmpeer vanish
check "the peer is gone, and nobody has noticed" has_connection 1 state=established
check "it is closed" eventually peers_are 1 state=vanished came=dreq
check "and made anew" eventually peers_are 1 asked_by=other state=established
