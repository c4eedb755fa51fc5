#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A broadcast reaches every host on the link, once.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# one_each ADDRESS: of five requests each host answers each once
one_each()
{
	local n

	background ip netns exec "$h1" ping -I ib0 -b -i 0.2 "$1"
	# Three more of each, so that the last of the five need not be waited for.
	for n in 2 3; do
		eventually grep "from 10.0.0.$n: icmp_seq=8 " "$tmp/background.log"
	done
	end_job "$job"
	sed -n 's/.*from \([0-9.]*\): icmp_seq=\([1-5]\) .*/\1 \2/p' \
		"$tmp/background.log" | sort > "$tmp/answers"
	cat "$tmp/answers"
	diff "$tmp/answers" - <<- END
		10.0.0.2 1
		10.0.0.2 2
		10.0.0.2 3
		10.0.0.2 4
		10.0.0.2 5
		10.0.0.3 1
		10.0.0.3 2
		10.0.0.3 3
		10.0.0.3 4
		10.0.0.3 5
	END
}

# Only the others are to answer.
deaf_to_broadcast()
{
	in_ns "$1" sh -c \
		'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_broadcasts'
}

plan 3
three_hosts
setup deaf_to_broadcast "$h1"
check "10.0.0.255" one_each 10.0.0.255
check "255.255.255.255" one_each 255.255.255.255
! on_ib || setup eventually forwards ff12:401b:ffff::1 "$rdma1" "$rdma2" "$rdma3"
check "224.0.0.1" one_each 224.0.0.1
