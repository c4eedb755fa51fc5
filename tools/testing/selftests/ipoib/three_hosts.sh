#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# Three hosts on a bridge, each reaches each other one; also where the bridge
# forwards a group only to the ports it heard joining.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows_both N: the other two are its peers, by their own addresses
knows_both()
{
	local rdma=rdma$1 n other peers

	peers=$(< "$debug/${!rdma}.1.ffff/peers")
	echo "$peers"
	for n in 1 2 3; do
		other=h$n
		[ "$n" = "$1" ] || [[ $peers == *"$(lladdr "${!other}") "* ]] || return
	done
}

plan 9
snooping=1
three_hosts
check "1 to 2" ping_all "$h1" 10.0.0.2
check "2 to 3" ping_all "$h2" 10.0.0.3
check "3 to 1" ping_all "$h3" 10.0.0.1
check "1 to 2, IPv6" ping_all "$h1" fd00::2
check "2 to 3, IPv6" ping_all "$h2" fd00::3
check "3 to 1, IPv6" ping_all "$h3" fd00::1
for n in 1 2 3; do
	check "host $n talks to neither of the others through the third" knows_both $n
done
