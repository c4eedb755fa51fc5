#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# The queue pair of a channel fails, or the HCA has none for it. The others go on, the first one
# sends what would have gone by that, and the channel sends again when it can.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# many: datagrams of a flow each; some get lost where a queue pair fails
many()
{
	send_udp "$h1" 10.1.0.2 9 100
}

# by_channels N...: in the end these have sent some of them, and others none
by_channels()
{
	local n before=() after=()

	for n in 0 1 2 3; do
		before[n]=$(counter "$h1" tx${n}_packets red)
	done
	many
	for n in 0 1 2 3; do
		after[n]=$(counter "$h1" tx${n}_packets red)
		[ "${after[n]}" -eq "${before[n]}" ] || echo "$n"
	done | diff - <(printf '%s\n' "$@")
}

# fails: what is sent next, by whatever channel that is, and that recovers
fails()
{
	recoveries=$(counter "$h1" qp_recoveries red)
	ib_knob "$rdma1/fail_send" 1
	many
	eventually grew "$h1" qp_recoveries "$recoveries" red
}

all_fail()
{
	local i

	for i in {1..12}; do
		fails && eventually by_channels 0 1 2 3 || return
	done
}

set_channels()
{
	in_ns "$h1" ethtool -L red combined "$1" && by_hash "$h1" red
}

# queue_pairs 0|-1: as many as one asks for, or none
queue_pairs()
{
	ib_knob "$rdma1/fail_create_qp" "$1"
}

arrive()
{
	local got

	got=$(counter "$h2" rx0_packets red)
	many
	eventually grew "$h2" rx0_packets $((got + 99)) red
}

expected='no QP for channel [1-3]: '
plan 7
# shellcheck disable=SC2034 # who makes the interface uses it
queues=4
two_children
setup eventually ping_all "$h1" 10.1.0.2 -w 2
setup by_hash "$h1" red
check "all channels send" eventually by_channels 0 1 2 3
address=$(lladdr "$h1" red) posts=$(counter "$h1" rx0_posts red)
check "sends fail, by all of them, and they recover" all_fail
check "receive buffers were left alone" [ "$(counter "$h1" rx0_posts red)" -lt $((posts + 60)) ]
setup set_channels 1
setup queue_pairs -1
setup set_channels 4
check "no queue pair for any: the first one sends" by_channels 0
check "all of it" arrive
setup queue_pairs 0
check "they try again" eventually by_channels 0 1 2 3
check "the address has stayed" [ "$(lladdr "$h1" red)" = "$address" ]
