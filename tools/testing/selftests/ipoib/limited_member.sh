#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Of a partition of which one port is a full member and the others are limited ones: each of
# these talks to the full member, and to no other (IBTA 10.9.3). The log and status say so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

only_full="only full members of the partition can be reached (RFC 4391 section 4)"

# logged N: so many times
logged()
{
	[ "$(kernel_log | grep -cF " ib0: limited member: $only_full")" = "$1" ]
}

# membership TEXT: of host 2
membership()
{
	[ "$(status "$rdma2" membership)" = "$1" ]
}

plan 14
clients=${partitions/ALL=full/ALL=limited}
everybody=$partitions partitions=$clients
ib_fabric 3
setup host 1 2 3
must "a limited member comes up" eventually is_up "$h2"
check "status says what it is" membership "limited, $only_full"
setup eventually is_up "$h1"
setup eventually is_up "$h3"
check "the log says so of each, once" logged 2
setup eventually forwards_broadcast "$rdma1" "$rdma2" "$rdma3"
check "it reaches the full member" ping_all "$h2" 10.0.0.1
check "over IPv6, too" ping_all "$h2" fd00::1
check "the full member reaches it" ping_all "$h1" 10.0.0.3
check "no other limited member does" not ping_all "$h2" 10.0.0.3 -w 1
setup ip -n "$h2" neigh replace 10.0.0.3 dev ib0 lladdr "$(lladdr "$h3")"
check "not even one that knows its address" not ping_all "$h2" 10.0.0.3 -w 1
setup connected rc 1 2
check "it has connections with the full member" eventually by_connection 2 30000 \
	ping_each "$h2" 10.0.0.1 -s 30000
check "which uses them" from_connection 2 30000 ping_each "$h1" 10.0.0.2 -s 30000
setup mode datagram 1 2

partitions=$everybody
setup reload_sm sm1
check "a full member now" eventually membership full
setup forget_neighbours "$h2" all
check "it is reached by all that are" eventually ping_all "$h2" 10.0.0.3 -w 2
partitions=$clients
setup reload_sm sm1
check "and again limited" eventually membership "limited, $only_full"
check "which the log says anew" eventually logged 4
