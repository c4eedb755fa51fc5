#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# An interface that is down takes another GID by its address, an alias that the SM has given the
# port or will give it. Interfaces with several GIDs share a partition.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

alias=02:69:62:00:00:ab:cd:ef
later=02:69:62:00:00:ab:cd:00

# assigns INDEX GUID: the SM, to the port of host 1, as somebody asks it to: IBTA 15.2.5.18
assigns()
{
	local port=/sys/class/infiniband/$rdma1/ports/1

	ask_sa "$rdma1" 02 0030 "$(printf %x $((3 | 1 << $1 + 4)))" \
		"$(printf '%04x%012x%0*x%s' $(($(< "$port/lid"))) 0 $(($1 * 16)) 0 "${2//:/}")" &&
		eventually port_has "$@"
}

# set_guid GUID: the last octets of the address of host 1
set_guid()
{
	local now

	now=$(lladdr "$h1") && ip -n "$h1" link set ib0 address "${now:0:36}$1"
}

# port_has INDEX GUID
port_has()
{
	[[ $(tr -d : < "/sys/class/infiniband/$rdma1/ports/1/gids/$1") = *"${2//:/}" ]]
}

# known_as GUID: to host 2
known_as()
{
	ip -n "$h2" neigh flush dev ib0
	answers "$h2" 10.0.0.1 -W 1 && ip -n "$h2" neigh show 10.0.0.1 | grep "$1"
}

# waits: for the GID
waits()
{
	status "$rdma1" reason | grep "no GID" && not has_carrier "$h1"
}

# refuses ADDRESS
refuses()
{
	not ip -n "$h1" link set ib0 address "$1" && [ "$(lladdr "$h1")" = "$old" ]
}

plan 13
ib_hosts 2
old=$(lladdr "$h1")
setup assigns 1 "$alias"
check "not while it is up" refuses "${old:0:36}$alias"
setup ip -n "$h1" link set ib0 down
check "not with another QPN" refuses "${old:0:3}ff:ff:ff${old:11:25}$alias"
check "nor flags" refuses "00${old:2:34}$alias"
check "nor subnet prefix" refuses "${old:0:12}fe:80:00:00:00:00:00:01:$alias"
check "nor without a GUID" refuses "${old:0:36}00:00:00:00:00:00:00:00"
check "an alias is taken" set_guid "$alias"
check "and shown" [ "$(lladdr "$h1")" = "${old:0:36}$alias" ]
setup ip -n "$h1" link set ib0 up
check "others know it by that" eventually known_as "$alias"
setup netns "$h3"
setup ip -n "$h1" link add link ib0 name pod netns "$h3" type ipoib
setup ip -n "$h3" addr add 10.0.0.3/24 dev pod
setup ip -n "$h3" link set pod up
check "a child has the port's own GID" [ "$(lladdr "$h3" pod | cut -c 13-)" = "${old:12}" ]
check "both share the partition" eventually answers "$h3" 10.0.0.1 -W 1
setup ip -n "$h1" link set ib0 down
setup set_guid "$later"
setup ip -n "$h1" link set ib0 up
check "one that the port does not have yet is waited for" \
	eventually waits
setup assigns 2 "$later"
check "then the link is ready" eventually known_as "$later"
setup ip -n "$h1" link set ib0 down
setup set_guid "${old:36}"
setup ip -n "$h1" link set ib0 up
check "and by the first again" eventually known_as "${old:36}"
