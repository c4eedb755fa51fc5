#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Neighbour discovery goes by datagrams (RFC 4755, 7), but ib_ipoib sends some by a connection.
# Who has no privilege may ask for one: where the Q_Key wants a privilege for datagrams, nobody
# takes an address that is known, or becomes a router, by a connection either.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# sum HEX: that of the internet, RFC 1071
sum()
{
	local i sum=0

	for ((i = 0; i < ${#1}; i += 4)); do
		sum=$((sum + 16#${1:i:4}))
	done
	while ((sum >> 16)); do
		sum=$(((sum & 0xffff) + (sum >> 16)))
	done
	printf '%04x\n' $((sum ^ 0xffff))
}

# say TYPE REST: the peer does so to host 1, in ICMPv6
say()
{
	local addresses=fd000000000000000000000000000002fd000000000000000000000000000001
	local length sent

	length=$(printf '%04x' $((${#2} / 2 + 4)))
	sent=86dd000060000000${length}3aff$addresses${1}00
	sent+=$(sum "$addresses${length}003a${1}00$2")$2
	cmpeer send "data=$sent" count=1 size=$((${#sent} / 2))
}

# advertise N: fd00::N is the peer's
advertise()
{
	say 88 60000000fd00000000000000000000000000000"${1}02030000${peer//:/}"
}

# A router for half an hour, without options
advertise_router()
{
	say 86 400007080000000000000000
}

# known N LLADDR: host 1 knows fd00::N by it, and would like to hear of it
known()
{
	ip -n "$h1" neigh replace "fd00::$1" lladdr "$2" dev ib0 nud stale
}

# neighbour_is N LLADDR STATE
neighbour_is()
{
	ip -n "$h1" neigh show "fd00::$1" nud "$3" | tee -a /dev/stderr | grep -qw "$2"
}

# refused COMMAND...: what it has the peer say is dropped
refused()
{
	local before

	before=$(counter "$h1" drop_rx_conn_arp) && "$@" &&
		eventually grew "$h1" drop_rx_conn_arp "$before"
}

partitions=${partitions/rate=7/rate=7, Q_Key=0x80000b1b}
plan 5
two_hosts
setup quiet_hosts 2
setup connected rc 1
setup cm_peers
setup ask_host 1 qpn=0x123
setup eventually peers_are 1 state=established
peer=$(peer_lladdr 2 0x123)
setup known 9 "$peer"
setup advertise 9
check "a node that is known is believed to be there" eventually neighbour_is 9 "$peer" reachable
setup known 2 "$(lladdr "$h2")"
check "one that takes the address of another one is not" refused advertise 2
check "the neighbour is who it was" neighbour_is 2 "$(lladdr "$h2")" stale
check "nor who takes ours" refused advertise 1
check "nor is a router" refused advertise_router
