#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Where network namespaces do not share RDMA devices, each can have one of the same name, and
# an interface on it: nothing that the driver names is confused for that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# namesake RDMADEV NS: it goes there, with the interface of its port, and is called "same"; or
# "other" by an older kernel, for which namespaces are no reason to have a name twice
namesake()
{
	local name=same said

	said=$(rdma dev set "$1" name $name 2>&1) || {
		[[ $said == *"File exists"* ]] && name=other && rdma dev set "$1" name $name ||
			return
	}
	rdma dev set $name netns "$2" && [[ $(in_ns "$2" rdma dev show) == *": $name: "* ]]
}

# directories_are N: so many, each that of another interface
directories_are()
{
	grep -h ^gid: "$debug"/*.1.*/status | sort | uniq -c | awk -v n="$1" '
		{ print }
		$1 != 1 { twice = 1 }
		END { exit twice || NR != n }'
}

# workers_are N: threads that connections are made and closed by if memory is short, each with
# a name of its own; those that have a number are anybody's
workers_are()
{
	cat /proc/[0-9]*/comm 2> /dev/null | grep -E '^(kworker/R-)?ipoib-conn' | sort | uniq -c | awk -v n="$1" '
		{ print }
		$1 != 1 { twice = 1 }
		END { exit twice || NR != n }'
}

plan 6
ib_fabric 3
setup eventually rdma system set netns exclusive
defer eventually rdma system set netns shared
setup netns "$h1" "$h2"
setup namesake "$rdma2" "$h1"
must "two devices have the same name" namesake "$rdma3" "$h2"
check "each interface has its directory" eventually directories_are 3
check "each port has its worker" eventually workers_are 3
setup addresses 1
setup addresses 2
setup eventually is_up "$h1"
setup eventually is_up "$h2"
check "they reach each other" eventually ping_all "$h1" 10.0.0.2 -w 2
setup mode connected 1 2
check "by connections, too" eventually by_connection 1 answers "$h1" 10.0.0.2
setup in_ns "$h1" rdma dev set same name another
check "one gets another name: its directory, too" directories_are 3
