#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# On a RoCE port nothing appears unasked. An interface comes and goes by
# ip link, and says what it is.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

no_interface()
{
	[ -z "$(ip -o link show type ipoib)" ]
}

says()
{
	ip -d link show "$ib" | tr -s ' \n' ' ' | grep -E -- "$1"
}

plan 8
setup two_ports
check "an RDMA device alone makes no interface" no_interface

must "ip link add makes one" ip link add link "$eth1" name "$ib" type ipoib
check "it is on its Ethernet device" says "$ib@$eth1:"
check "its type is InfiniBand" says 'link/infiniband '
check "it shows P_Key, mode and umcast" \
	says 'ipoib pkey 0xffff mode datagram umcast 0+ '
check "it is stopped until it is wanted" not says '[<,]UP[,>]'

check "ip link del removes it" ip link del "$ib"
check "and it is gone" no_interface
