#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An interface may be lent to a network namespace of another user: its files are that user's
# then, and as long as the namespace is there.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# owner_is USER NS FILE...: each of them is the user's
owner_is()
{
	local file owner

	for file in "${@:3}"; do
		owner=$(in_sysfs "$2" stat -c %u "/sys/class/net/$ib/$file") || return
		[ "$owner" = "$1" ] || { echo "$file: $owner"; return 1; }
	done
}

# back: a port's own interface, in the initial namespace; or gone, which is what happens to
# one that somebody has made
back()
{
	if on_ib; then
		ip link show "$(status "$rdma1" interface)"
	else
		! status "$rdma1" interface
	fi
}

plan 5
one_interface
files=(pkey mode umcast)
! on_ib || files+=(create_child delete_child)
setup netns "$h2"
setup tenant "$h1"
check "it is lent" ip link set "$ib" netns "$h1"
check "its files are the tenant's" owner_is "$tenant_user" "$h1" "${files[@]}"
setup ip -n "$h1" link set "$ib" netns "$h2"
check "and root's when it is given to somebody else" owner_is 0 "$h2" "${files[@]}"
setup ip -n "$h2" link set "$ib" netns "$h1"
setup ip netns del "$h1"
check "the tenant ends" end_job "$tenant"
check "and the interface is not left behind" eventually back
