#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A node in another subnet of InfiniBand: the subnet administrator says that the way to its
# GID is by the LID of a router. Packets to it go there, with the hop limit, flow label and
# traffic class of the path and the GID of the node (IBTA 8.3), and the command ipoib shows it. For
# those to other nodes nothing changes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

far=fec0::9:2c9:300:1234
far_octets=fec0000000000000000902c903001234
far_address=80:00:12:34:$(sed 's/../&:/g; s/:$//' <<< $far_octets)

# path_rule ACTION: for those who ask for a path to the node
path_rule()
{
	ib_knob mad_rules "class=3 method=1 attr=0x35 match=64:$far_octets $1"
}

# finds: packets to the node have a way to it
finds()
{
	local before

	before=$(counter "$h1" tx_packets)
	send_udp "$h1" 10.0.0.9 9 3 && grew "$h1" tx_packets $((before + 2))
}

# tells WORDS: the command ipoib, of the node
tells()
{
	in_ns "$h1" "${OUTPUT:-$here}/ipoib" peers ib0 | tee -a /dev/stderr |
		grep -q "^$far_address $1 "
}

# go HEADER: those to the node have that, and there are some
go()
{
	decode "infiniband.grh.dgid == $far" infiniband.lrh.dlid infiniband.grh.sgid \
		infiniband.grh.hoplmt infiniband.grh.flowlabel infiniband.grh.tclass |
		sort -u | tee -a /dev/stderr | diff - <(echo "$*" | tr ' ' '\t')
}

plan 4
two_hosts
router=$(($(< "/sys/class/infiniband/$rdma2/ports/1/lid")))
# LIDs, flow label and hop limit; traffic class; service level, MTU, rate and lifetime
setup path_rule "set=96:$(printf '%04x0000%06x%02x' $router 0x12345 40)"
setup path_rule set=104:07
setup path_rule set=108:0003858692
setup path_rule answer
setup knows "$h1" 10.0.0.9 "$far_address"
gid=$(sed -n 's/^gid: //p' "$debug/$rdma1.1.ffff/status")
setup capture "$eth2"
check "there is a path" eventually finds
check "packets go to the router, and say where they are for" \
	go "$router $gid 40 74565 7"
check "the command ipoib says so" \
	tells "state ready dlid $router sl 3 rate 20000 hop_limit 40 mtu 4092"
check "others go as ever" ping_all "$h1" 10.0.0.2
