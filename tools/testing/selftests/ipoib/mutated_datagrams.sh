#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# Somebody sends what begins as ARP, neighbour discovery or IP and is altered, to a host and
# to all: each of them is received or counted as dropped, and afterwards the hosts talk as
# before. On InfiniBand garbled_datagrams does that to what hosts themselves send.
#
# SEED       what is altered follows from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

many=$(much 400)

# hex WORD...: without blanks and colons
hex()
{
	tr -d ': \n' <<< "$*"
}

# arrived: what host 2 has received, or made nothing of
arrived()
{
	in_ns "$h2" ethtool -S ib0 |
		awk '/^ *rx0_packets:|^ *drop_rx_/ { n += $2 } END { print n + 0 }'
}

# all_arrived N
all_arrived()
{
	local now

	now=$(arrived)
	echo "$now, was $before"
	[ "$now" -ge $((before + $1)) ]
}

# altered LLADDR OCTETS: so many, fewer at a time than host 2 has buffers for, and each of them is
# accounted for
altered()
{
	local i n

	before=$(arrived)
	for ((i = 0; i < many; i += n)); do
		n=$((many - i < 100 ? many - i : 100))
		inject -d "$rdma1" -a "$1" -x "$2" -n "$n" -S $((SEED + ${#2} + i)) &&
			eventually all_arrived $((i + n)) || return
	done
}

quiet()
{
	kernel_log > "$tmp/log" && [ "$(grep -Ec "ib0|ipoib|$rdma2" "$tmp/log")" -lt 20 ]
}

plan 8
note "SEED=${SEED:=1}"
two_hosts
addr1=$(lladdr "$h1") addr2=$(lladdr "$h2")
everybody=00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
# RFC 4391 section 9; ARP for 10.0.0.2, and the answer
arp=$(hex 08060000 0020 0800 14 04 0001 "$addr1" 0a000001 "$addr2" 0a000002)
reply=$(hex 08060000 0020 0800 14 04 0002 "$addr1" 0a000001 "$addr2" 0a000002)
# A neighbour solicitation for fd00::2 with its option, 20 octets and two to fill up
solicitation=$(hex 86dd0000 60000000 0030 3a ff fd00 000000000000 0000 000000000001 \
	ff02 000000000000 0001 ff000002 8700 0000 00000000 fd00 000000000000 0000 \
	000000000002 01 03 0000 "$addr1")
# A ping with a right checksum of its header
ping=$(hex 08000000 45000030 00010000 4001 66c9 0a000001 0a000002 0800 f7fd 00010001 \
	0000000000000000000000000000000000000000)
check "ARP, to all" altered $everybody "$arp"
check "an answer" altered "$addr2" "$reply"
check "neighbour discovery" altered "$addr2" "$solicitation"
check "IP" altered "$addr2" "$ping"
check "the log has a few lines at most" quiet
# Nor is anybody left to be where he is not.
setup forget_neighbours "$h1" dev ib0
setup forget_neighbours "$h2" dev ib0
check "host 1 reaches host 2" eventually ping_all "$h1" 10.0.0.2 -w 2
check "by IPv6, too" eventually ping_all "$h1" fd00::2 -w 2
check "host 2 reaches host 1" eventually ping_all "$h2" 10.0.0.1 -w 2
