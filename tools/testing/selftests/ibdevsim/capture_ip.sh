#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A capture shows what IPoIB is made of: IP, and the talk with SA and peers.
. "$(dirname "$0")/lib.sh"

plan 6
hosts 2
setup capture
setup reach 1 10.0.0.2
setup ip -n h1 link set ib0 type ipoib mode connected
setup ip -n h2 link set ib0 type ipoib mode connected
setup reach 1 10.0.0.2 -s 1000
setup captured
check_frames \
	"ARP, to a group, with a GRH" some \
		'arp.opcode == 1 && infiniband.grh.dgid == ff12:401b:ffff::ffff:ffff' \
	"IP in datagrams" some 'icmp && infiniband.bth.opcode == 100' \
	"IP over a reliable connection" some 'icmp && infiniband.bth.opcode == 4' \
	"paths asked for" some \
		'infiniband.mad.mgmtclass == 3 && infiniband.mad.attributeid == 0x35' \
	"a connection made" some 'infiniband.cm.req' \
	"nothing malformed" 0 '_ws.malformed && infiniband'
