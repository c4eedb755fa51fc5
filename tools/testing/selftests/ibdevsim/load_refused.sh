#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# It does not load with more HCAs than a switch has ports, nor if one of them cannot be
# made; those that came before that one go again.
. "$(dirname "$0")/lib.sh"

# refused WHY OPTION
refused()
{
	! load ibdevsim "$2" 2> "$tmp/refused" && cat "$tmp/refused" || return
	[[ $(< "$tmp/refused") == *"$1"* ]] && [ ! -e /sys/module/ibdevsim ]
}

plan 4
setup modprobe -a ib_umad ib_cm rdma_rxe veth
check "more than there can be ports" refused "Invalid parameters" hcas=255
setup ip link add veth0 type veth peer name veth1
setup rdma link add ibdevsim1 type rxe netdev veth0
check "the second one's name is taken" refused "Too many open files" hcas=2
check "the first one is gone" [ ! -e /sys/class/infiniband/ibdevsim0 ]
setup rdma link del ibdevsim1
setup ip link del veth0
check "and comes when the name is free" fabric 2
