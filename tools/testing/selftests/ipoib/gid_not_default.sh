#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# The first GID of a port is derived from the MAC address and is there even if
# the stack does not own it. The interface takes one that packets reach.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 3
ethdev_up()
{
	echo 0 > "/proc/sys/net/ipv6/conf/$1/accept_dad" &&
		ip link set "$1" addrgenmode random &&
		ip link set "$1" up
}

# other_gid RDMADEV: that of the address has come into the table, too
other_gid()
{
	grep -q ^fe80 "/sys/class/infiniband/$1/ports/1/gids/"[1-7]
}

setup two_ports
setup eventually other_gid "$rdma1"
setup eventually other_gid "$rdma2"
setup host 1 2

check "carrier" eventually is_up "$h1"
default=$(cat "/sys/class/infiniband/$rdma1/ports/1/gids/0")
addr=$(lladdr "$h1")
note "$addr, while GID 0 is $default"
addr=${addr//:/}
check "the GID is not the default one" [ "${addr:8}" != "${default//:/}" ]
check "the other host answers" eventually ping_all "$h1" 10.0.0.2 -w 2
