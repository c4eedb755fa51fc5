#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have one P_Key
#
# An interface has several channels: datagrams of different flows go by the queue pairs of all,
# groups by that of the first. Their number changes while packets are on their way.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# four: the interface, on InfiniBand a child since who makes a parent is the driver
four()
{
	# shellcheck disable=SC2034 # who makes the interface uses it
	queues=4
	if ! on_ib; then
		two_hosts
		dev=ib0 net=10.0.0
		return
	fi
	two_children
	dev=red net=10.1.0
}

# channels_are N
channels_are()
{
	in_ns "$h1" ethtool -l $dev | grep -A 5 '^Current' | grep -w "Combined:.*$1"
}

# each_sent: packets, of each channel
each_sent()
{
	local n

	for n in 0 1 2 3; do
		counter "$h1" tx${n}_packets $dev || return
	done
}

# share COUNT: so many datagrams of a flow each reach the other host, some by each channel
share()
{
	local before after i got

	mapfile -t before < <(each_sent)
	got=$(counter "$h2" rx0_packets $dev)
	send_udp "$h1" $net.2 9 "$1"
	mapfile -t after < <(each_sent)
	echo "before: ${before[*]}, after: ${after[*]}"
	for i in 0 1 2 3; do
		[ "${after[i]}" -gt "${before[i]}" ] || return
	done
	eventually grew "$h2" rx0_packets $((got + $1 - 1)) $dev
}

# only_first COUNTER COMMAND...: grows, and no other channel sends anything
only_first()
{
	local before after old

	old=$(counter "$h1" "$1" $dev)
	mapfile -t before < <(each_sent)
	"${@:2}" || return
	mapfile -t after < <(each_sent)
	echo "before: ${before[*]}, after: ${after[*]}"
	[ "${after[*]:1}" = "${before[*]:1}" ] && grew "$h1" "$1" "$old" $dev
}

# to_group COUNT: datagrams of a flow each
to_group()
{
	local got

	got=$(counter "$h2" rx0_multicast $dev)
	send_udp "$h1" 224.0.0.1 9 "$1" && eventually grew "$h2" rx0_multicast $((got + $1 - 1)) $dev
}

set_channels()
{
	in_ns "$h1" ethtool -L $dev combined "$1"
}

refused()
{
	not set_channels "$1" && channels_are 4
}

# changes: while datagrams of many flows are sent, and none is dropped
changes()
{
	local n before job sender

	before=$(counter "$h1" drop_tx_flushed $dev)
	# shellcheck disable=SC2016 # bash in the namespace expands it
	background ip netns exec "$h1" bash -c 'while :; do echo > "/dev/udp/$0/9"; done' $net.2
	sender=$job
	for n in 1 3 2 4 1 4; do
		set_channels $n && channels_are $n && by_hash "$h1" $dev || return
	done
	kill "$sender" && [ "$(counter "$h1" drop_tx_flushed $dev)" = "$before" ]
}

plan 14
four
setup ip -n "$h1" route add 224.0.0.0/8 dev "$dev"
setup eventually ping_all "$h1" $net.2 -w 2
check "it has four channels" channels_are 4
setup by_hash "$h1" $dev
check "flows go by all of them, and arrive" share 200
check "what is sent to a group goes by the first" only_first tx0_packets to_group 40
address=$(lladdr "$h1" $dev)
check "fewer channels, and more, while packets are sent" changes
check "the address has stayed" [ "$(lladdr "$h1" $dev)" = "$address" ]
check "all send again" share 200
check "none is refused" refused 0
check "five are refused" refused 5
setup set_channels 1
check "with one, that one sends" only_first tx0_packets send_udp "$h1" $net.2 9 40
setup set_channels 4
setup by_hash "$h1" $dev
setup ip -n "$h1" link set $dev down
check "while it is down, too" set_channels 3
setup set_channels 4
setup by_hash "$h1" $dev
setup ip -n "$h1" link set $dev up
setup ip -n "$h1" route replace 224.0.0.0/8 dev "$dev"
check "up again" eventually ping_all "$h1" $net.2 -w 2
check "all send" share 200
setup ip -n "$h1" link set $dev type ipoib mode connected
check "by connections" eventually only_first conn_tx_packets \
	ping_all "$h1" $net.2 -s 8000 -c 1 -i 1 -w 2
setup ip -n "$h1" link set $dev type ipoib mode datagram
check "datagrams again, by all" eventually share 200
