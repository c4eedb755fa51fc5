#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who may configure an interface may say what its broadcast address is, and the stack asks
# nobody. Only that interface is the worse for it, and it has its own again once it has been
# down and up.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

brd()
{
	ip -n "$h1" link show dev ib0 | sed -n 's/.* brd \([^ ]*\).*/\1/p'
}

# is_used: of the stack, with groups that it joins and leaves meanwhile
is_used()
{
	ip -n "$h1" neigh flush dev ib0
	ip -n "$h1" addr add fd00::77/64 dev ib0 nodad
	in_ns "$h1" ping -q -b -c 2 -i 0.1 -W 1 10.0.0.255
	in_ns "$h1" ping -q -c 2 -i 0.1 -W 1 ff02::1%ib0
	in_ns "$h1" ping -q -c 1 -W 1 10.0.0.2
	ip -n "$h1" addr del fd00::77/64 dev ib0
	is_up "$h1"
}

down_and_up()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up
}

own_again()
{
	[ "$(brd)" = "$own" ]
}

plan 16
two_hosts
own=$(brd)
# None; everybody; a host; a group of another partition
for brd in "$(printf '00:%.0s' {1..19})00" "$(printf 'ff:%.0s' {1..19})ff" \
	"$(lladdr "$h2")" 00:ff:ff:ff:ff:12:40:1b:80:02:00:00:00:00:00:00:ff:ff:ff:ff; do
	setup ip -n "$h1" link set ib0 broadcast "$brd"
	check "$brd: nothing breaks" is_used
	setup down_and_up
	check "down and up: it has its own again" eventually own_again
	setup forget_neighbours "$h1" dev ib0
	check "it reaches the other host" eventually ping_all "$h1" 10.0.0.2 -w 2
	check "and is reached" eventually ping_all "$h2" 10.0.0.1 -w 2
done
