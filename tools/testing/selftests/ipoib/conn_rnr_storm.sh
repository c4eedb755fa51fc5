#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 32 peers send to one host at once, more than it has buffers for: every
# message arrives, and no connection dies of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

all_sent()
{
	peers_are 32 state=live sent=50
}

# received N: messages of all connections
received()
{
	connections 1 | sed 's/.* received=\([0-9]*\).*/\1/' |
		awk -v n="$1" '{ sum += $1 } END { print sum; exit sum != n }'
}

plan 4
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup ask_host 1 qpn=0x100 count=32
check "32 connections" eventually peers_are 32 state=live
cmpeer send count=50 size=20000
check "each sends 50 messages" eventually all_sent
check "all have come" eventually received 1600
check "no connection has died" peers_are 32 state=live errors=0
