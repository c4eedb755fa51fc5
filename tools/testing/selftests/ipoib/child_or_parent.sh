#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# The port's first P_Key, which is the parent's, changes while a child with the new one is made:
# the parent has it, and the child, too, if it was made first.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 100)
enough=$(much 12)
children=0

# parent_is PKEY
parent_is()
{
	[ "$(< "$net/pkey")" = "0x$1" ]
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
		eventually parent_is 8003 || return
		ib_knob "$rdma1/pkeys" '0 0xffff'
		if [ -e "$net.8003" ]; then
			echo 0x8003 > "$net/delete_child" || return
			children=$((children + 1))
		fi
		eventually parent_is ffff || return
	done
}

# both_have_it: what was the parent's is a child's, and the parent gets it back, too
both_have_it()
{
	ib_knob "$rdma1/pkeys" '0 0x8003'
	eventually parent_is 8003 || return
	echo 0xffff > "$net/create_child" || return
	ib_knob "$rdma1/pkeys" '0 0xffff'
	eventually parent_is ffff && [ "$(< "$net.ffff/pkey")" = 0xffff ] || return
	echo 0xffff > "$net/delete_child"
}

# stays: with an empty table, in the partition that it was in
stays()
{
	local pkey=8003

	ib_knob "$rdma1/pkeys" '0 0x8003' && eventually parent_is $pkey &&
		ib_knob "$rdma1/pkeys" '0 0' && eventually has_none && parent_is $pkey || return
	ib_knob "$rdma1/pkeys" '0 0xffff'
	eventually parent_is ffff
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
check "the parent always gets it" all_rounds
note "the child had it, too, $children times"
check "the one it had may be a child's, and become its own again" both_have_it
check "no P_Key: it stays with what it had last" stays
check "the parent works with its own again" eventually parent_is_up
