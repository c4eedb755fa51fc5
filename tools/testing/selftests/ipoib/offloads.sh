#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan stock
#
# What an HCA can do it is left to do, for datagrams over IPv4: checksums of what is sent and
# received, and cutting TCP into segments. It can be turned off, and connections have nothing of
# it. Host 3 has an HCA that can do nothing.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# feature N NAME VALUE
feature()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -k ib0 | tee -a /dev/stderr | grep -qx "[[:space:]]*$2: $3"
}

# cut_by_hca COMMAND...: of what host 1 sends meanwhile
cut_by_hca()
{
	local before

	before=$(counter "$h1" tx_segmented) && "$@" &&
		grew "$h1" tx_segmented "$before"
}

not_cut_by_hca()
{
	local before

	before=$(counter "$h1" tx_segmented) && "$@" &&
		[ "$(counter "$h1" tx_segmented)" = "$before" ]
}

# all_counted: as segments, by who sends as by who receives
all_counted()
{
	local sent received

	sent=$(counter "$h1" tx_packets) received=$(counter "$h2" rx0_packets)
	transfer "$h1" "$h2" 10.0.0.2 "$size" || return
	sent=$(($(counter "$h1" tx_packets) - sent))
	received=$(($(counter "$h2" rx0_packets) - received))
	echo "$sent sent, $received received"
	[ $sent -gt 100 ] && [ $((sent - received)) -lt 10 ] && [ $((received - sent)) -lt 10 ]
}

# sums_right PROTOCOL ADDRESS COMMAND...: of what it sends there
sums_right()
{
	capture ib0 && "${@:3}" || return
	# Not in a pipe: that would leave the tap open.
	decode "$1 && ip.dst == $2" "$1.checksum.status" > "$tmp/sums"
	sort "$tmp/sums" | uniq -c
	# 1: good
	awk '$1 != 1 { bad = 1 } END { exit bad || !NR }' "$tmp/sums"
}

# refused N: datagrams by host 2, for which it has no program
refused()
{
	[ "$(snmp "$h2" UdpNoPorts)" = "$1" ]
}

# cut_by_stack: eight datagrams that a program sends as one, by UDP_SEGMENT (17, 103), to host 2
cut_by_stack()
{
	local before

	before=$(snmp "$h2" UdpNoPorts)
	head -c 8000 /dev/zero | in_ns "$h1" socat -u -b 8000 - \
		UDP4-SENDTO:10.0.0.2:9,setsockopt-int=17:103:1000 || return
	eventually refused $((before + 8))
}

size=$(much 4M)
plan 19
# Whatever HCAs the others have
IBDEVSIM_PROFILE=plain
ib_fabric 1
rdma1=ibdevsim1 rdma2=ibdevsim2 rdma3=ibdevsim0
setup netns "$h1" "$h2" "$h3"
echo "mlx4 2" > /sys/devices/ibdevsim/new_hca
setup take_interface 1 2 3
setup eventually is_up "$h1"
setup eventually ping_all "$h1" 10.0.0.2
check "the HCA is left to make checksums" feature 1 tx-checksum-ipv4 on
check "to look at them" feature 1 rx-checksumming on
check "and to cut TCP into segments" feature 1 tcp-segmentation-offload on
check "where it cannot, it is not" feature 3 tx-checksum-ipv4 "off \[fixed\]"
check "what it cut arrives" cut_by_hca transfer "$h1" "$h2" 10.0.0.2 "$size"
check "also where nothing is left to an HCA" \
	cut_by_hca transfer "$h1" "$h3" 10.0.0.3 "$size"
check "and from there" transfer "$h3" "$h1" 10.0.0.1 "$size"
check "segments are counted, and not what was cut" eventually all_counted
check "the sums are right: TCP" sums_right tcp 10.0.0.2 transfer "$h1" "$h2" 10.0.0.2 100K
check "UDP" sums_right udp 10.0.0.3 send_udp "$h1" 10.0.0.3 9 5
check "what a program sends as one by UDP_SEGMENT" cut_by_stack
check "by IPv6 as ever" not_cut_by_hca transfer "$h1" "$h2" '[fd00::2]' "$size"
setup in_ns "$h1" ethtool -K ib0 tso off
check "no cutting when it is turned off" \
	not_cut_by_hca transfer "$h1" "$h2" 10.0.0.2 "$size"
setup in_ns "$h1" ethtool -K ib0 tx off rx off
check "nor checksums" feature 1 tx-checksum-ipv4 off
check "which are right all the same" \
	sums_right tcp 10.0.0.2 transfer "$h1" "$h2" 10.0.0.2 100K
setup in_ns "$h1" ethtool -K ib0 tx on rx on tso on
setup connected rc 1 2
check "connected mode has none" feature 1 tx-checksum-ipv4 "off \[requested on\]"
check "a connection" by_connection 1 200000 transfer "$h1" "$h2" 10.0.0.2 "$size"
setup mode datagram 1 2
check "datagram mode has it again" feature 1 tcp-segmentation-offload on
check "and uses it" cut_by_hca transfer "$h1" "$h2" 10.0.0.2 "$size"
