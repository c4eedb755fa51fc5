#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that never completes the connection it asked for does not hold a place
# for ever, whatever time-outs it asks for. One that has lost its connection
# without a word gets another, in the place of the old one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 7
two_hosts
setup connected "rc uc" 1
setup cm_peers
# Hours, if it had its way.
setup ask_host 1 qpn=0x100 answer=silent timeout=24 retries=15
check "it is accepted" eventually peers_are 1 state=replied
check "it is there" has_connection 1 state=answered
check "it goes by itself" eventually connections_are 1 0

setup ask_host 1 qpn=0x200
setup eventually peers_are 1 qpn=0x000200 state=live
cmpeer vanish
check "the peer is gone, and nobody has noticed" has_connection 1 state=live
setup ask_host 1 qpn=0x200
check "it asks again, and is accepted" eventually peers_are 1 \
	qpn=0x000200 state=live
check "the new one replaces the old" eventually connections_are 1 1
check "it is live" has_connection 1 state=live
