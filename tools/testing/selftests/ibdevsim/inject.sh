#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# Datagrams of any content go where they are told to.
. "$(dirname "$0")/lib.sh"

# inject DLID DGID QPN QKEY COUNT LEN [HEX]
inject()
{
	echo "ibdevsim0 $*" > "${loop%/*}/inject"
}

plan 6
fabric 2
setup load ibdevsim_loop
lid=$(lid_of ibdevsim1)
setup capture
check "longer than a packet is refused" not inject "$lid" - 70 0x1234 1 4097
check "so is what is no GID" not inject "$lid" nonsense 70 0x1234 1 32
setup inject "$lid" - 70 0x1234 3 32 deadbeef
setup inject 0xc000 ff12:401b:ffff::ffff:ffff 0xffffff 0x80000b1b 1 64 0800
setup inject "$lid" - 71 0x1234 1 0
setup captured
check_frames \
	"to a queue pair, so often" 3 "infiniband.lrh.dlid == $lid && infiniband.bth.destqp == 70 && infiniband.deth.q_key == 0x1234 && infiniband[-38:4] == de:ad:be:ef" \
	"to a group" 1 'infiniband.lrh.dlid == 0xc000 && infiniband.grh.dgid == ff12:401b:ffff::ffff:ffff && infiniband.deth.q_key == 0x80000b1b' \
	"empty" 1 'infiniband.bth.destqp == 71 && infiniband.lrh.pktlen == 8' \
	"none that was refused" 5 'infiniband.bth.destqp > 1'
