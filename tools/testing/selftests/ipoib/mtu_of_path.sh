#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The subnet administrator says that the path to one host carries less than the link. What is
# longer is not sent to that host as a datagram: its sender is told, as for the link; others
# get as much as ever.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# path_mtu N OCTET: in answers about paths to host N, selector and code of the MTU
path_mtu()
{
	local rdma=rdma$1

	ib_knob mad_rules "class=3 method=0x81 attr=0x35 match=64:$(
		tr -d : < "/sys/class/infiniband/${!rdma}/ports/1/gids/0") set=110:$2"
}

# told ADDRESS: host 1 is, by ICMP
told()
{
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 -s 3000 -M "do" "$1" 2>&1 | tee -a /dev/stderr |
		grep -E "^From .*(Frag needed|Packet too big).*mtu ?= ?2044"
}

# longest_to N: octets of payload that host N was sent at once
longest_to()
{
	local rdma=rdma$1 lid

	lid=$(($(< "/sys/class/infiniband/${!rdma}/ports/1/lid")))
	decode "infiniband.lrh.dlid == $lid && infiniband.bth" infiniband.lrh.pktlen |
		sort -n | tail -n 1
}

# cut: from the first packet on, to host 2
cut()
{
	local longest

	capture "$eth2" && ping_all "$h1" 10.0.0.2 -s 3000 -M dont || return
	# In words of four octets; LRH, BTH, DETH and ICRC are 32 octets.
	longest=$(($(longest_to 2) * 4 - 32))
	echo "$longest octets at once"
	[ $longest -gt 1500 ] && [ $longest -le 2048 ]
}

plan 8
ib_fabric 3
# Paths to host 2 are of 2048 octets, those to host 3 have a code that nobody knows.
setup path_mtu 2 84
setup path_mtu 3 80
setup host 1 2 3
setup eventually is_up "$h1"
setup eventually is_up "$h2"
setup eventually is_up "$h3"
setup eventually ping_all "$h1" 10.0.0.3 -w 2
setup eventually answers "$h2" 10.0.0.1
check "what may be cut is" cut
setup ip -n "$h1" route flush cache
check "what may not be: the sender is told" told 10.0.0.2
check "IPv6: the sender is told" told fd00::2
check "what the path carries gets there" ping_all "$h1" 10.0.0.2 -s 2016 -M "do"
check "the other way as long as the link allows" \
	ping_all "$h2" 10.0.0.3 -s 4064 -M "do"
check "and to others" ping_all "$h1" 10.0.0.3 -s 4064 -M "do"
setup connected rc 1 2
setup ip -n "$h1" route flush cache
setup eventually by_connection 1 answers "$h1" 10.0.0.2
check "by a connection, what is too long for datagrams" \
	by_connection 1 15000 ping_all "$h1" 10.0.0.2 -s 3000 -M "do"
check "and 60000 octets" by_connection 1 300000 large "$h1" 10.0.0.2
