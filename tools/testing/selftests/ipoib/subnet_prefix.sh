#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A subnet manager gives the ports another subnet prefix: the link addresses have it, also that
# which was set by hand, and neighbours find each other by those.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# has_prefix NS PREFIX: behind flags and queue pair
has_prefix()
{
	local address

	address=$(lladdr "$1")
	echo "$address"
	[[ $address == ??:??:??:??:"$2":* ]]
}

# knows_as LLADDR: host 1 knows the other one
knows_as()
{
	ip -n "$h1" neigh show to 10.0.0.2 dev ib0 | grep "lladdr $1 "
}

plan 5
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
# Back from a GUID that the port does not have, host 1 has chosen its own.
own=$(lladdr "$h1")
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 address "${own:0:36}02:69:62:00:00:ab:cd:ef"
setup ip -n "$h1" link set ib0 address "$own"
setup ip -n "$h1" link set ib0 up
setup ip -n "$h1" addr add fd00::1/64 dev ib0
setup eventually is_up "$h1"
setup kill_sm sm1
# shellcheck disable=SC2034 # for the subnet manager
subnet_prefix=0xfe80000000000077
setup start_sm sm1
for ns in "$h1" "$h2"; do
	check "the address follows" eventually has_prefix "$ns" fe:80:00:00:00:00:00:77
	setup eventually is_up "$ns"
done
pkey=ffff setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "the hosts find each other, by broadcast" eventually ping_all "$h1" 10.0.0.2 -w 2
check "and by multicast" eventually ping_all "$h2" fd00::1 -w 2
check "by that address" knows_as "$(lladdr "$h2")"
