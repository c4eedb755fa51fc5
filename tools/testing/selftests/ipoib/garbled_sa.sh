#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Every other answer and report of the subnet administrator arrives altered. Who can talk to
# whom meanwhile nobody promises; that it does no harm, and that all is as it was when a
# subnet manager that tells the truth makes itself known.
#
# SEED       what is altered follows from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 24)
# What is altered in a report is in the answer to it, too.
expected_of_sm='ERR 1A0'

# altered N: so many have been
altered()
{
	local n

	n=$(< "$ibdevsim/garbled")
	echo "$n of $1"
	[ "$n" -ge "$1" ]
}

# asks_much: a link comes up, two groups are joined and left, and paths are looked for
asks_much()
{
	local i

	for ((i = 1; i <= rounds; i++)); do
		ip -n "$h2" link set ib0 down &&
			ip -n "$h2" link set ib0 up &&
			ip -n "$h1" addr replace "fd00::1:$i/64" dev ib0 &&
			ip -n "$h3" addr replace "fd00::3:$i/64" dev ib0 &&
			forget_neighbours "$h1" dev ib0 || return
		in_ns "$h1" ping -q -c 2 -i 0.1 -w 1 10.0.0.2
		in_ns "$h1" ping -q -c 2 -i 0.1 -w 1 10.0.0.3
		[ $i -eq 1 ] || ip -n "$h1" addr del "fd00::1:$((i - 1))/64" dev ib0 || return
		eventually altered $((i * 2)) || return
	done
}

plan 6
note "SEED=${SEED:=1}"
ib_hosts 3
setup connected rc 1 2
setup ib_knob seed "$SEED"
setup ib_knob garble_sa_ppm 500000
check "they ask, and are told all sorts of things" asks_much
note "$(< "$ibdevsim/garbled") answers and reports were altered"
setup ib_knob garble_sa_ppm 0
setup kill_sm sm1
setup start_sm sm1
setup eventually subnet_is_up sm1
check "host 2 is up" eventually is_up "$h2"
check "host 1 reaches host 2" eventually ping_all "$h1" 10.0.0.2 -w 2
check "host 2 reaches host 3" eventually ping_all "$h2" 10.0.0.3 -w 2
check "host 3 reaches host 1" eventually ping_all "$h3" fd00::1 -w 2
check "hosts 1 and 2 have a connection" eventually by_connection 1 answers "$h1" 10.0.0.2
