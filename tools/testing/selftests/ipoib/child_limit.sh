#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: stock, for the shadow that KASAN in user mode has of so many interfaces takes
# more memory than the host has.
#
# A port has 256 children and not one more, whoever asks; when one goes there is room again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# links FIRST LAST: what makes children on these P_Keys
links()
{
	local n

	for ((n = $1; n <= $2; n++)); do
		printf 'link add link ib0 name c%d type ipoib pkey 0x%04x\n' $n $((0x8000 + n))
	done
}

children()
{
	ls -d "$debug/$rdma1".1.8*
}

# refused REASON COMMAND...
refused()
{
	local said

	said=$("${@:2}" 2>&1) && return 1
	echo "$said"
	[[ $said == *"$1" ]]
}

# all_but_one: what deletes the rest, one after the other: a parent that goes with all of
# them waits for so long that a slow kernel says so
all_but_one()
{
	printf 'link del c%d\n' {1..6} {8..256}
}

create_child()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_sysfs "$h1" bash -c 'echo "$0" > /sys/class/net/ib0/create_child' "$1"
}

plan 6
setup bare_fabric 1
setup host 1
check "256 children" ip -n "$h1" -batch - <<< "$(links 1 256)"
check "not one more" refused \
	"Error: ipoib: the port has as many children as there may be." \
	ip -n "$h1" link add link ib0 name red type ipoib pkey 0x8200
check "nor by create_child" refused "No space left on device" create_child 0x8200
check "that makes 256" [ "$(children | wc -l)" = 256 ]
setup ip -n "$h1" link del c7
check "one goes, and there is room" create_child 0x8200
check "the others go" ip -n "$h1" -batch - <<< "$(all_but_one)"
