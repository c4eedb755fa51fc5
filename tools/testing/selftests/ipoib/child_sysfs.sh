#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# create_child and delete_child, and what children's files say, as ib_ipoib has
# them.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

net=/sys/class/net

# write VALUE FILE: on host 1
write()
{
	in_sysfs "$h1" sh -c "echo $1 > $net/$2"
}

reads()
{
	[ "$(in_sysfs "$h1" cat "$net/$1")" = "$2" ]
}

has()
{
	in_sysfs "$h1" test -e "$net/$1"
}

plan 19
partitions+=$red
ib_hosts 2
setup ip -n "$h1" link set ib0 mtu 1500
setup mode connected 1
check "create_child" write 0x8001 ib0/create_child
must "its name is the parent's and the P_Key" has ib0.8001
check "parent" reads ib0.8001/parent ib0
check "pkey" reads ib0.8001/pkey 0x8001
check "its MTU is what the user has chosen for the parent" \
	reads ib0.8001/mtu 1500
check "mode, whatever the parent is in" reads ib0.8001/mode datagram
check "a second one is refused" not write 0x8001 ib0/create_child
setup ip -n "$h1" link set ib0.8001 up
check "it comes up" eventually is_up "$h1" ib0.8001
check "only parents create and delete" not has ib0.8001/create_child
check "only children have one" not has ib0/parent
setup write 0x8001 ib0/delete_child
check "delete_child" not has ib0.8001
setup ip -n "$h1" link add link ib0 name red type ipoib pkey 0x8001
check "beside one that ip has made, too" write 0x8001 ib0/create_child
setup write 0x8001 ib0/delete_child
check "which is not the one that goes" has red
setup write 0x8001 ib0/delete_child
check "until there is no other" not has red
check "P_Key without bit 15" write 1 ib0/create_child
must "the name has it as it was written" has ib0.0001
check "the child is a full member" reads ib0.0001/pkey 0x8001
setup write 1 ib0/delete_child
check "delete_child without bit 15" not has ib0.0001
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 name a_long_parent
setup write 0x8001 a_long_parent/create_child
check "ten characters of the parent's name are in it" has a_long_par.8001
