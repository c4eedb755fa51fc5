#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# The MTU follows that of the Ethernet device also if soft-RoCE was loaded later, and
# so is told later. With one CPU the driver then looks before soft-RoCE has; with
# several it is mostly too late to be wrong.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mtu_is()
{
	[[ $(ip -n "$1" link show dev ib0) == *" mtu $2 "* ]]
}

all_rounds()
{
	local i mtu

	for ((i = 0; i < 10; i++)); do
		for mtu in 2048 4096; do
			link_mtu $mtu && eventually mtu_is "$h1" $((mtu - 4)) &&
				eventually mtu_is "$h2" $((mtu - 4)) || return
		done
	done
}

plan 1
setup rmmod ipoib
setup rmmod rdma_rxe
setup load_ipoib
setup modprobe rdma_rxe
two_hosts
check "twenty changes" all_rounds
