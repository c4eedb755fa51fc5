#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A capture shows what IPoIB is made of: IP, and the talk with SA and peers.
. "$(dirname "$0")/lib.sh"

plan 6
hosts 2
setup capture
setup reach 1 10.0.0.2
setup on 1 sh -c 'echo connected > /sys/class/net/ib0/mode'
setup on 2 sh -c 'echo connected > /sys/class/net/ib0/mode'
setup reach 1 10.0.0.2 -s 1000
setup captured
check "ARP, to a group, with a GRH" frames 'arp.opcode == 1 && infiniband.grh.dgid == ff12:401b:ffff::ffff:ffff'
check "IP in datagrams" frames 'icmp && infiniband.bth.opcode == 100'
check "IP over a reliable connection" frames 'icmp && infiniband.bth.opcode == 4'
check "paths asked for" frames 'infiniband.mad.mgmtclass == 3 && infiniband.mad.attributeid == 0x35'
check "a connection made" frames 'infiniband.cm.req'
check "nothing malformed" not frames '_ws.malformed && infiniband'
