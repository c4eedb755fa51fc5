#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The broadcast group has a service level: so have the groups that are made, and with
# the private flag packets to nodes, too. Otherwise those have that of their path.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# levels_are LEVEL FILTER: of the packets between queue pairs of interfaces
levels_are()
{
	# Not to a pipe: the capture would go on here.
	decode "infiniband.bth.destqp > 1 && $2" infiniband.lrh.sl > "$tmp/levels" || return
	sort -u "$tmp/levels" | tee -a /dev/stderr | diff - <(echo "$1")
}

# flag ON
flag()
{
	in_ns "$h1" ethtool --set-priv-flags ib0 sl-of-broadcast "$1"
}

shows()
{
	in_ns "$h1" ethtool --show-priv-flags ib0 | grep -x "sl-of-broadcast *: $1"
}

# path_has LEVEL: that to the other host. All paths are asked for anew when something is sent
path_has()
{
	ping_all "$h1" 10.0.0.2 && in_ns "$h1" "${OUTPUT:-$here}/ipoib" peers ib0 |
		grep "^$(lladdr "$h2") .* sl $1 "
}

# level_is LEVEL: that of packets to the other host
level_is()
{
	capture "$eth2" || return
	ping_all "$h1" 10.0.0.2
	levels_are "$1" \
		"infiniband.lrh.dlid == $(($(< "/sys/class/infiniband/$rdma2/ports/1/lid")))"
}

plan 8
partitions='Default=0x7fff :
mgid=ff12:401b::ffff:ffff,sl=3,Q_Key=0xb1b,mtu=4,rate=3
ALL=full, SELF=full;'
ib_hosts 2
setup ip -n "$h1" route add 224.0.0.0/4 dev ib0
setup capture "$eth2"
in_ns "$h1" ping -q -b -c 3 -i 0.2 10.0.0.255 > /dev/null 2>&1
in_ns "$h1" ping -q -c 3 -i 0.2 224.0.0.1 > /dev/null 2>&1
check "groups have the level of the broadcast group" \
	levels_are 3 infiniband.grh.dgid
check "off to begin with" shows off
check "packets to nodes have that of their path" level_is 0
check "on" flag on
check "is shown" shows on
setup eventually path_has 3
check "they have that of the broadcast group" level_is 3
check "off" flag off
setup eventually path_has 0
check "they have that of their path again" level_is 0
