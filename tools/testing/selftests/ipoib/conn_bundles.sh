#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
# HCAs: not irdma, for they have one P_Key
#
# Connections are in bundles by the address of the peer, and those of a bundle share what they
# send and receive by with each other only. They stay when the number of channels changes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

peers=8

peers_are_up()
{
	local i

	for ((i = 1; i <= peers; i++)); do
		is_up "$h2" p$i || return
	done
}

# to_each: packets that go by connections
to_each()
{
	siblings_answer $peers -s 8000
}

# values NAME: of that of each connection, by the name
values()
{
	local line

	find_connections 1 state=established > /dev/null
	for line in "${found[@]}"; do
		[[ $line =~ $1=([^ ]*) ]] && echo "${BASH_REMATCH[1]}"
	done
}

# several NAME: not all have the same
several()
{
	[ "$(values "$1" | sort -u | tee -a /dev/stderr | wc -l)" -gt 1 ]
}

# changes: while packets are sent to all
changes()
{
	local n job sender

	# Not so many that a peer on a busy machine leaves more than 512 waiting
	# shellcheck disable=SC2016 # bash in the namespace expands it
	background ip netns exec "$h1" bash -c 'exec 9<> <(:); while :; do
			for i; do echo > "/dev/udp/10.1.0.$((100 + i))/9"; done
			read -rt 0.01 -u 9
		done' _ $(seq $peers)
	sender=$job
	for n in 1 3 2 4 1 4; do
		in_ns "$h1" ethtool -L red combined $n && to_each || return
	done
	kill "$sender"
}

# shellcheck disable=SC2034 # who makes the interface uses it
queues=4 pkey=8001
plan 8
partitions+=$red
ib_hosts 2
setup child 1 0x8001 red
setup child_addresses 1 red
setup siblings $peers
setup eventually is_up "$h1" red
setup eventually peers_are_up
setup ip -n "$h1" link set red type ipoib mode connected

check "each peer is sent to" eventually to_each
check "by a connection of its own" eventually has_connections 1 $peers
check "they are in several bundles" several bundle
# Of these each has 40 buffers.
check "and receive by several queues" [ "$(status "$rdma1" conn_buffers_posted)" -gt 40 ]
before=$(values qpn) dropped=$(lost "$h1" red) sent=$(counter "$h1" conn_tx_packets red)
check "channels go and come, and packets arrive" changes
check "the connections have stayed" [ "$(values qpn)" = "$before" ]
check "by them was sent all of it" [ "$(counter "$h1" conn_tx_packets red)" -gt $((sent + 48)) ]
check "and nothing is lost" [ "$(lost "$h1" red)" = "$dropped" ]
