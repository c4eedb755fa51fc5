#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no shared receive queues
#
# Connections by which only the other end sends, as all are in datagram mode: while packets
# come by one, who asks for another in the name of that node gets it beside the first, which
# stays. With two there is no third. Those of ib_ipoib, which sends nothing otherwise, do not
# count against the limit, but within a port's share.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks N OPTION...: a peer on the port of host N, while all that are connected send
asks()
{
	local rdma=rdma$1

	cmpeer send count=1 size=100 && cmpeer open "dev=${!rdma}" "to=$whom" "${@:2}" &&
		eventually all_decided
}

# live: numbers of the connections of host 1
live()
{
	find_connections 1 state=established > /dev/null && printf '%s\n' "${found[@]}" |
		grep -o ' qpn=[^ ]*' | sort
}

# is_old: the connection of host 1, by which packets come all the time
is_old()
{
	cmpeer send count=1 size=100 && find_connections 1 state=established &&
		[[ ${found[0]-} =~ age_ms=([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -gt 11000 ]
}

# is_refused OPTION...: and those that there are stay
is_refused()
{
	local before

	before=$(live)
	asks "$@" && peers reason=10 | grep refused && diff <(echo "$before") <(live)
}

plan 9
three_hosts
setup cm_peers
whom=$(lladdr "$h1")
for service in rfc linux; do
	setup asks 2 qpn=0x100 service=$service
	setup eventually has_connections 1 1
	first=$(qpn_of 1)
	setup eventually is_old
	setup asks 2 qpn=0x100 service=$service
	check "$service: another one gets a connection" eventually has_connections 1 2
	check "the first one has its own" has_connection 1 "$first" state=established
	check "a third is refused, and both stay" \
		eventually is_refused 2 qpn=0x100 service=$service
	setup cmpeer forget
	setup eventually connections_are 1 0
done

setup in_ns "$h1" ethtool -L ib0 other 1
setup asks 2 qpn=0x100 service=rfc
setup eventually has_connections 1 1
setup asks 3 qpn=0x200 service=linux
check "the limit is reached: those of ib_ipoib have places" \
	eventually has_connections 1 2
check "within the share of their port" asks 3 qpn=0x300 service=linux
check "which is told that there is no room" \
	peers_are 1 qpn=0x000300 state=refused reason=3
