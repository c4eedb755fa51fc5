#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The path to a peer gets another service level: a connection to the peer follows, in the midst of
# what goes by it. One whose path is as it was stays, however often that is asked for.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# flag ON: takes what goes by paths from their level to that of the broadcast group
flag()
{
	private_flag sl-of-broadcast "$1" 1 2
}

# level_is LEVEL: that of what goes by connections to the other host
level_is()
{
	local lid

	lid=$(($(< "/sys/class/infiniband/$rdma2/ports/1/lid")))
	capture "$eth2" && by_connection 1 ping_all "$h1" 10.0.0.2 -s 20000 &&
		decode "infiniband.bth.opcode < 8 && infiniband.lrh.dlid == $lid" \
			infiniband.lrh.sl > "$tmp/levels" || return
	sort -u "$tmp/levels" | tee -a /dev/stderr | diff - <(echo "$1")
}

# asked: host 1, for a path
asked()
{
	not grep -H 'matched 0 ' "$ibdevsim/mad_rules"
}

plan 7
partitions='Default=0x7fff :
mgid=ff12:401b::ffff:ffff,sl=3,Q_Key=0xb1b,mtu=4,rate=3
ALL=full, SELF=full;'
ib_hosts 2
setup connected rc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
setup has_connection 1 state=established opened_by=us
setup level_is 0
qpn=$(qpn_of 1)
setup ib_knob mad_rules "class=3 method=1 attr=0x35 from=$rdma1"
setup kill_sm sm1
setup start_sm sm1
# Not so many that ping's socket has no room for the answers to all that have waited
setup steady "$h1" 10.0.0.2 -i 0.02 -s 2500
check "the path is asked for anew" eventually asked
check "and is as it was: so is the connection" has_connection 1 state=established "$qpn"
check "it has another level" flag on
check "it goes on by another connection" eventually level_is 3
check "no packet was lost meanwhile" none_lost
check "octets go on when it has its first level again" transfer_while flag off
check "they, too, by another connection" eventually level_is 0
