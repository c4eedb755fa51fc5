#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# The port's first P_Key, which is the parent's, changes while a child with the new
# one is made: either has it, never both.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 100)
enough=$(much 12)
children=0

# parent_is PKEY: there its status is
parent_is()
{
	local pkey=$1

	status "$rdma1" interface
	[ "$(status "$rdma1" interface)" = "${net##*/}" ]
}

refused()
{
	[[ $(status "$rdma1" reason) == *"another interface"* ]]
}

# one_has_it: the parent has the new P_Key, or knows that it is the child's
one_has_it()
{
	if [ -e "$net.8003" ]; then
		parent_is ffff && refused
	else
		parent_is 8003
	fi
}

old_one_is_back()
{
	parent_is ffff && ! refused
}

# all_rounds: until each of the two has had it often enough; no more than that, though,
# should it always be the same
all_rounds()
{
	local i

	for ((i = 0; i < rounds && (children < enough || i - children < enough); i++)); do
		echo 0x8003 > "$net/create_child" &
		ib_knob "$rdma1/pkeys" '0 0x8003'
		wait $!
		eventually one_has_it || return
		ib_knob "$rdma1/pkeys" '0 0xffff'
		if [ -e "$net.8003" ]; then
			echo 0x8003 > "$net/delete_child" || return
			children=$((children + 1))
		fi
		eventually old_one_is_back || return
	done
}

# child_gets_it: what was the parent's is a child's, until the parent gets it back
child_gets_it()
{
	ib_knob "$rdma1/pkeys" '0 0x8003'
	eventually parent_is 8003 || return
	echo 0xffff > "$net/create_child" || return
	[ "$(status "$rdma1" interface)" = "${net##*/}.ffff" ] || return
	echo 0xffff > "$net/delete_child" || return
	ib_knob "$rdma1/pkeys" '0 0xffff'
	eventually old_one_is_back
}

# stays: with an empty table, in the partition that it was in
stays()
{
	local pkey=8003

	ib_knob "$rdma1/pkeys" '0 0x8003' && eventually parent_is $pkey &&
		ib_knob "$rdma1/pkeys" '0 0' && eventually has_none && parent_is $pkey || return
	ib_knob "$rdma1/pkeys" '0 0xffff'
	eventually old_one_is_back
}

has_none()
{
	[ "$(status "$rdma1" reason)" = "P_Key is not in the port's table" ]
}

parent_is_up()
{
	[ "$(status "$rdma1" state)" = up ]
}

plan 4
ib_fabric 1
net=/sys/class/net/$(interface_of "$rdma1")
setup ip link set "${net##*/}" up
check "either has it, never both" all_rounds
note "the child had it $children times"
check "the one it had may be a child's" child_gets_it
check "no P_Key: it stays with what it had last" stays
check "the parent works with its own again" eventually parent_is_up
