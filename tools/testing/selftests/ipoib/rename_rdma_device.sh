#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A directory in debugfs has the name that the RDMA device has now, and never that of
# another one, which may take the old name at once.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# renamed DEV NAME: until the end
renamed()
{
	rdma dev set "$1" name "$2" && defer rdma dev set "$2" name "$1"
}

# is_of RDMADEV GID [NAME]: the directory is that of the interface, which has this name
is_of()
{
	local gid name

	gid=$(status "$1" gid) name=$(status "$1" interface)
	echo "gid: $gid, interface: $name"
	[ "$gid $name" = "$2 ${3:-ib0}" ]
}

if on_ib; then plan 7; else plan 5; fi
partitions+=$red
two_hosts
new=new$id gid1=$(gid "$rdma1") gid2=$(gid "$rdma2")
! on_ib || setup child 1 0x8001 red
setup renamed "$rdma1" "$new"
check "the directory is renamed with the device" is_of "$new" "$gid1"
check "there is none with the old name" [ ! -e "$debug/$rdma1.1.ffff" ]
setup renamed "$rdma2" "$rdma1"
check "another device has the old name: so has its directory" is_of "$rdma1" "$gid2"
check "and the first one keeps its own" is_of "$new" "$gid1"
! on_ib || {
	setup child 2 0x8001 red
	pkey=8001 check "the child that was there" is_of "$new" "$gid1" red
	pkey=8001 check "and another one that is made now" is_of "$rdma1" "$gid2" red
}
setup ip -n "$h2" link set ib0 down
setup ip -n "$h2" link set ib0 name other
check "an interface is renamed" is_of "$rdma1" "$gid2" other
