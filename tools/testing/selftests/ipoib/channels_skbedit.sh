#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: stock, for our own have no queueing disciplines
# HCAs: not irdma, for they have one P_Key
#
# An administrator has skbedit say by which queue packets go. That is their channel, and what only
# the first one can send goes by that all the same.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# tc_on OBJECT...
tc_on()
{
	ip netns exec "$h1" tc "$@"
}

# map N: all that leaves by that queue
map()
{
	tc_on filter del dev red egress &&
		tc_on filter add dev red egress matchall action skbedit queue_mapping "$1"
}

# only CHANNEL COMMAND...: sends something meanwhile, unless the stack has something to say, too
only()
{
	local n before=() after=()

	for n in 0 1 2 3; do
		before[n]=$(counter "$h1" tx${n}_packets red)
	done
	"${@:2}" || return
	for n in 0 1 2 3; do
		after[n]=$(counter "$h1" tx${n}_packets red)
		[ "${after[n]}" -eq "${before[n]}" ] || echo "$n"
	done | diff - <(echo "$1")
}

# groups_by_first COUNT: datagrams to a group, all of them by the first channel
groups_by_first()
{
	local before

	before=$(counter "$h1" tx0_packets red)
	only 0 send_udp "$h1" 224.0.0.1 9 "$1" && grew "$h1" tx0_packets $((before + $1 - 1)) red
}

# filtered: packets that the filter has brought to a queue
filtered()
{
	tc_on -s filter show dev red egress | sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p'
}

by_connection()
{
	ping_all "$h1" 10.1.0.2 -s 8000 -c 1 -i 1
}

plan 8
setup modules sch_ingress cls_matchall act_skbedit
# shellcheck disable=SC2034 # who makes the interface uses it
queues=4
two_children
setup eventually ping_all "$h1" 10.1.0.2 -w 2
setup ip -n "$h1" route add 224.0.0.0/8 dev red
setup tc_on qdisc add dev red clsact
for n in 3 1; do
	setup map $n
	check "channel $n sends to a node" eventually only $n ping_all "$h1" 10.1.0.2
	check "what is for a group goes by the first" eventually groups_by_first 20
done
setup ip -n "$h1" link set red type ipoib mode connected
setup eventually by_connection
setup map 2
sent=$(counter "$h1" conn_tx_packets red)
check "a connection takes packets of another queue" by_connection
check "each of them" eventually grew "$h1" conn_tx_packets "$sent" red
check "tc has brought them there" [ "$(filtered)" -gt 0 ]
setup tc_on qdisc del dev red clsact
check "without it, as ever" by_connection
