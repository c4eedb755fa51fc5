#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer has one connection by each kind of service ID: its second REQ replaces
# the first.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# twice SERVICE QPN: ask twice
twice()
{
	ask_host 1 "service=$1" "qpn=$2" &&
		eventually peers_are 1 "qpn=$2" state=live &&
		ask_host 1 "service=$1" "qpn=$2" &&
		eventually all_decided
}

plan 6
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup twice rfc 0x000100
check "the second one is live" eventually peers_are 1 qpn=0x000100 state=live
check "the first one was told" eventually peers_are 1 qpn=0x000100 \
	state=ended came=dreq
check "there is one" eventually connections_are 1 1
setup twice linux 0x000200
check "by Linux's service ID, too" eventually peers_are 1 qpn=0x000200 state=live
check "the first one was told" eventually peers_are 1 qpn=0x000200 \
	state=ended came=dreq
check "there are two" eventually connections_are 1 2
