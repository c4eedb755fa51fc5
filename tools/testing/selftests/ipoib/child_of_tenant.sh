#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, qib or hfi1, for their ports have room for 16 P_Keys at most
#
# Who is root of a user namespace only, and was lent a port's own interface, makes children
# of it: so many, and on partitions that the port is in. The host may do more, and its
# children elsewhere are not the tenant's.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# write WHO FILE PKEY: of the parent, as somebody in its namespace
write()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands them
	"$1" "$h1" bash -c 'echo "$1" > "/sys/class/net/ib0/$0"' "$2" "$3"
}

# refused REASON COMMAND...
refused()
{
	local said

	said=$("${@:2}" 2>&1) && return 1
	echo "$said"
	[[ $said == *"$1"* ]]
}

# add WHO PKEY [ARGUMENT...]
add()
{
	"$1" "$h1" ip link add link ib0 name "child$2" "${@:3}" type ipoib pkey "$2"
}

add_all()
{
	local pkey

	for pkey; do
		add as_tenant "$pkey" || return
	done
}

children()
{
	local dirs=("$debug/$rdma1".1.*)

	echo ${#dirs[@]}
}

plan 17
for ((n = 1; n <= 18; n++)); do
	partitions+=$(printf '\np%d=0x%04x, ipoib : ALL=full, SELF=full;' $n $n)
done
partitions+=$'\nlimited=0x0100, ipoib : ALL=limited;'
ib_fabric 1
setup tenant "$h1"
setup interface 1
setup netns "$h2"
setup eventually is_up "$h1"

check "a child on a partition of the port" add as_tenant 0x8001
check "and by create_child" write as_tenant create_child 0x8002
check "not on one that the port is not in" refused \
	"Error: ipoib: the P_Key is not in the port's table" add as_tenant 0x9001
check "nor by create_child" refused "Operation not permitted" \
	write as_tenant create_child 0x9001
check "on one that it is a limited member of" add as_tenant 0x8100
setup as_tenant "$h1" ip link del child0x8100
check "the host makes one there" add in_ns 0x9001
check "and by create_child" write in_sysfs create_child 0x9002
setup ip -n "$h1" link del child0x9001
setup write as_tenant delete_child 0x9002
setup ip -n "$h1" link add link ib0 name theirs netns "$h2" type ipoib pkey 0x8003
check "a child of the host's is not the tenant's to delete" refused \
	"Operation not permitted" write as_tenant delete_child 0x8003
check "and is there" ip -n "$h2" link show theirs
check "sixteen on a port" add_all 0x80{04..09} 0x800{a..f} 0x8010
check "not one more" refused \
	"Error: ipoib: the port has as many children as a tenant may make" \
	add as_tenant 0x8011
check "nor by create_child" refused "Operation not permitted" \
	write as_tenant create_child 0x8011
check "that makes sixteen, and the parent" [ "$(children)" = 17 ]
check "the host makes one more" add in_ns 0x8011
check "the tenant deletes it" write as_tenant delete_child 0x8011
check "and one of its own" as_tenant "$h1" ip link del child0x8001
check "and has room for another" add as_tenant 0x8012
