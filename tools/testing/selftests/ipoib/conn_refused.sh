#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# To a peer that says it takes connections, and then refuses, packets go by UD,
# and it is not asked again at once.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

asked()
{
	count_peers asked_by=other
}

asked_again()
{
	ping_all "$h1" 10.0.0.2 && [ "$(asked)" -gt "$1" ]
}

# refused TRANSPORT: all that was asked for; more than once if the pings took seconds
refused()
{
	local n

	n=$(asked)
	[ "$n" -gt 0 ] && [ "$n" -le 3 ] &&
		peers_are "$n" asked_by=other state=refused "transport=$1"
}

many=$(much 500)

plan 7
two_hosts
setup connected "rc uc" 1
setup cm_peers
for transport in UC RC; do
	setup stand_in_for 2 $transport rej:3
	check "$transport: a ping is answered, by UD" ping_all "$h1" 10.0.0.2
	check "a connection was asked for, and refused" \
		eventually refused $transport
	[ $transport = RC ] || cmpeer forget
done
check "$many pings are answered" \
	in_ns "$h1" ping -q -c "$many" -i 0.01 -W 20 10.0.0.2
note "$(asked) REQs"
# 1, 2, 4, 8... seconds between them
check "it was asked some few times" [ "$(asked)" -le 8 ]
# After a minute at the most.
check "it is asked again some time" busywait $((patience + 60000)) asked_again "$(asked)"
