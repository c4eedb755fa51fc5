#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# A child may be made before its P_Key is in the port's table, even before there
# is a subnet manager. It waits, says for what, and comes up.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

waits_for()
{
	local pkey=8001

	[ "$(status "$rdma1" state)" = waiting ] &&
		[ "$(status "$rdma1" reason)" = "$1" ]
}

plan 5
setup bare_fabric 2
for n in 1 2; do
	setup host $n
	setup child $n 0x8001 red
	setup child_addresses $n red
done
check "it waits for a subnet manager" eventually waits_for \
	'no subnet manager has activated the port'
setup start_sm sm1
setup eventually is_up "$h1"
check "it waits for its P_Key" eventually waits_for \
	"P_Key is not in the port's table"
check "it has no carrier" not has_carrier "$h1" red
partitions+=$red
setup reload_sm sm1
check "it comes up with the P_Key" eventually is_up "$h1" red
setup eventually is_up "$h2" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "its link works" ping_all "$h1" 10.1.0.2
