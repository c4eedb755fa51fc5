#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# When a network namespace goes under traffic, an interface that was made on RoCE
# goes with it; that of an InfiniBand port, which was not, returns, down, and has another
# name if its own is taken.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# one_device_left: namespaces are taken down in the background
one_device_left()
{
	awk '$1 == "dev" { exit $2 - $3 != 1 }' "$objects"
}

# both_flood: $running are the two of host 1; what runs in it keeps a namespace alive
both_flood()
{
	mapfile -t running < <(ip netns pids "$h1")
	[ ${#running[@]} -eq 2 ]
}

# here RDMADEV: with its index for a name, down
here()
{
	local link

	link=$(ip link show dev "$(interface_of "$1")")
	echo "$link"
	[[ $link =~ ^([0-9]+):\ dev([0-9]+):\ .*state\ DOWN ]] &&
		[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}

plan 4
two_hosts
if on_ib; then
	setup ip link add ib0 type bridge
	defer ip link del ib0
fi
setup traffic
setup eventually both_flood
check "the namespace goes" ip netns del "$h1"
setup kill "${running[@]}"
if on_ib; then
	check "its interface returns" eventually here "$rdma1"
	setup ip link del ib0
else
	check "and its interface" eventually one_device_left
fi

setup netns "$h1"
check "the port can be used by another one" interface 1
check "which reaches the other host" eventually ping_all "$h1" 10.0.0.2 -w 2
