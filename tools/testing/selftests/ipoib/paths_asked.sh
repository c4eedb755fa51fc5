#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A host has many neighbours, and the subnet administrator has many hosts: it is asked
# for so many paths at a time and no more, and after news of the fabric for those that
# are used only.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

many=400
# What the driver allows itself: at once, and in each second
burst=64 rate=640

# neighbours: as many queue pairs of host 2 as there are, and none of them exists
neighbours()
{
	local gid i

	gid=$(lladdr "$h2" | cut -d : -f 5-)
	for ((i = 0; i < many; i++)); do
		printf 'neigh replace 10.1.%d.%d nud permanent dev ib0 lladdr 00:10:%02x:%02x:%s\n' \
			$((i / 200)) $((i % 200 + 1)) $((i / 256)) $((i % 256)) "$gid"
	done | ip -n "$h1" -batch -
}

use_all()
{
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		for $i (0 .. $ARGV[0] - 1) {
			$i % 64 or socket(S, PF_INET, SOCK_DGRAM, 0) or die $!;
			send(S, "", 0, sockaddr_in(9, inet_aton sprintf "10.1.%d.%d",
				$i / 200, $i % 200 + 1));
		}' $many
}

# ready N: so many peers have a path
ready()
{
	local n

	n=$(grep -c 'state=ready' "$debug/$rdma1.1.ffff/peers")
	echo "$n of $1"
	[ "$n" -ge "$1" ]
}

# questions: those for paths that host 1 asked, and milliseconds from first to last
questions()
{
	tap_decode "infiniband.mad.method == 0x01 && infiniband.mad.attributeid == 0x0035 &&
		infiniband.lrh.slid == $(($(status "$rdma1" lid)))" frame.time_epoch |
		awk 'NR == 1 { first = $1 } END { print NR, int(($1 - first) * 1000) }'
}

# asked N: questions for the path to host N
asked()
{
	local rdma=rdma$1

	sent 01 0035 8 "$(tr -d : < "/sys/class/infiniband/${!rdma}/ports/1/gids/0")"
}

asks_for()
{
	local n

	n=$(asked "$1")
	echo "asked $n times, $2 before"
	[ "$n" -gt "$2" ]
}

# used_is_asked_for N: the path to host N, when something is sent there
used_is_asked_for()
{
	in_ns "$h1" ping -q -c 1 -W 1 "10.0.0.$1"
	asks_for "$1" "$before"
}

plan 6
ib_hosts 3
setup ip -n "$h1" addr add 10.1.255.1/16 dev ib0
setup neighbours
setup capture
setup use_all
check "all are found" eventually ready $many
end_capture
read -r all ms < <(questions)
note "$all questions in $ms ms"
# A fifth of a second may pass until the first of them is on its way.
check "no more in that time than that" [ "$all" -le $((burst + rate * (ms + 200) / 1000)) ]
check "and they were asked for" [ "$all" -ge $many ]

setup ping_all "$h1" 10.0.0.3
setup capture
before=$(asked 3)
setup report "$rdma1" 1 64 \
	"$(tr -d : < "/sys/class/infiniband/$rdma3/ports/1/gids/0")"
check "a port is said to be there: one in use is asked for" eventually used_is_asked_for 3

setup ping_all "$h1" 10.0.0.2
before=$(asked 2)
setup kill_sm sm1
setup start_sm sm1
check "with a new subnet manager, so is one in use" eventually used_is_asked_for 2
setup ping_all "$h1" 10.0.0.2 -c 50
check "and no other" not asks_for 2 $((before + 50))
