#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The port's first P_Key, which is the parent's, changes while a child with the new
# one is made: either has it, never both.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 100)
children=0

# one_has_it: the parent has the new P_Key, or knows that it is the child's
one_has_it()
{
	local have reason

	have=$(status "$rdma1" pkey) reason=$(status "$rdma1" reason)
	echo "parent: $have, $reason"
	if [ -e "$net.8003" ]; then
		[ "$have" = 0xffff ] && [[ $reason == *"another interface"* ]]
	else
		[ "$have" = 0x8003 ]
	fi
}

old_one_is_back()
{
	[ "$(status "$rdma1" pkey)" = 0xffff ] &&
		[[ $(status "$rdma1" reason) != *"another interface"* ]]
}

all_rounds()
{
	local i

	for ((i = 0; i < rounds; i++)); do
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

is_up()
{
	[ "$(status "$rdma1" state)" = up ]
}

plan 2
ib_fabric 1
net=/sys/class/net/$(interface_of "$rdma1")
setup ip link set "${net##*/}" up
check "$rounds rounds" all_rounds
note "the child had it $children times"
check "the parent works with its own again" eventually is_up
