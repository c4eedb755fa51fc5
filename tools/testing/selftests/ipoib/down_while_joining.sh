#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# An interface that goes down while the subnet manager answers its questions is none
# the worse for the answers.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Each asks for a group, and a packet waits for the answer.
send_to_groups()
{
	local i

	for ((i = 0; i < 100; i++)); do
		echo > "/dev/udp/239.1.1.$i/9" || return
	done
}

all_rounds()
{
	local i

	for ((i = 0; i < rounds; i++)); do
		in_ns "$h1" bash -c send_to_groups || return
		ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up &&
			eventually is_up "$h1" &&
			ip -n "$h1" route add 239.0.0.0/8 dev ib0 || return
	done
}

rounds=$(much 20)

plan 3
two_hosts
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
export -f send_to_groups
setup in_ns "$h1" bash -c send_to_groups
check "groups are asked for" [ "$(counter "$h1" groups)" -gt 50 ]
check "down and up $rounds times" all_rounds
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
