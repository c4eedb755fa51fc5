#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Children that cannot be are refused, and ip says why.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused REASON ARGUMENT...: ip link add fails with this reason
refused()
{
	local out

	out=$(ip -n "$h1" link add name blue "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == "Error: ipoib: "*"$1"* ]]
}

# children_are NAME: that one, and no other
children_are()
{
	local links

	links=$(ip -n "$h1" -br link show type ipoib)
	echo "$links"
	[ "$(sed -n 's/@ib0 .*//p' <<< "$links")" = "$1" ]
}

# write FILE TEXT: to one of the parent, which is in that namespace
write()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands them
	in_sysfs "$h1" bash -c 'echo "$1" > "/sys/class/net/ib0/$0"' "$1" "$2"
}

# write_refused ERROR FILE TEXT
write_refused()
{
	local said

	said=$(write "$2" "$3" 2>&1) && return 1
	echo "$said"
	[[ $said == *": $1" ]]
}

# logged TEXT
logged()
{
	kernel_log | grep "ib0: $1"
}

# not_deleted: the log says so, unless it has had to say much else a moment ago
not_deleted()
{
	ip -n "$h1" link del ib0 && logged "not deleted: it belongs to its port"
}

plan 26
brd=00:ff:ff:ff:ff:12:40:1b:80:02:00:00:00:00:00:00:ff:ff:ff:ff
ib_fabric 1
setup host 1
largest=$(largest_mtu "$h1")
for pkey in 0 0x8000; do
	check "P_Key $pkey" refused "0 and 0x8000 are P_Keys of no partition" \
		link ib0 type ipoib pkey $pkey
	check "P_Key $pkey, create_child" \
		write_refused "Invalid argument" create_child $pkey
done
for pkey in red "" 0x18001 0x100008001 -1 -2; do
	check "no P_Key, '$pkey', create_child" \
		write_refused "Invalid argument" create_child "$pkey"
done
check "the log says what it has to be" \
	logged "not the P_Key of a partition, 1 to 0x7fff or 0x8001 to 0xffff"
check "the parent's P_Key, create_child" \
	write_refused "Name not unique on network" create_child 0xffff
setup write create_child 0x8001
setup ip -n "$h1" link set ib0.8001 name red
check "that of another such child, create_child" \
	write_refused "Name not unique on network" create_child 0x8001
check "the same without bit 15, create_child" \
	write_refused "Name not unique on network" create_child 1
setup ip -n "$h1" link add ib0.8002 type dummy
check "a name that is taken, create_child" \
	write_refused "File exists" create_child 0x8002
check "a child that there is not, delete_child" \
	write_refused "No such device" delete_child 0x8002
check "the parent, delete_child" write_refused "No such device" delete_child 0xffff
check "what is no P_Key, delete_child" \
	write_refused "Invalid argument" delete_child 0x8000
check "a child of a child" \
	refused "the link is an IPoIB interface that cannot have children" \
	link red type ipoib pkey 0x8002
check "an MTU of connected mode without it" \
	refused "an MTU above $largest needs connected mode" \
	link ib0 mtu $((largest + 1)) type ipoib pkey 0x8002
check "several transmit queues" \
	refused "an interface has at most 8 channels, numtxqueues is more" \
	link ib0 numtxqueues 9 type ipoib pkey 0x8002
check "an Ethernet broadcast address" \
	refused "malformed broadcast address, 20 octets are needed" \
	link ib0 broadcast ff:ff:ff:ff:ff:ff type ipoib pkey 0x8002
check "the broadcast address of another P_Key" \
	refused "malformed broadcast address, not that of the P_Key" \
	link ib0 broadcast $brd type ipoib pkey 0x8003
check "none of them left anything behind" children_are red
check "whoever deletes the parent is told by the log" eventually not_deleted
check "it is there" ip -n "$h1" link show ib0
