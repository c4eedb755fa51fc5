#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# HCAs of one make count their queue pairs from the same number, as each soft-RoCE device
# does, so two hosts often have the same. They still hear each other's multicast.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

qpn()
{
	lladdr "$1" | cut -d: -f2-4
}

# of_one_make: the interfaces of both HCAs get the same number
of_one_make()
{
	rmmod ipoib &&
	ib_knob "$rdma1/next_qpn" 1193046 &&
	ib_knob "$rdma2/next_qpn" 1193046 &&
	load_ipoib
}

plan 3
if on_ib; then
	setup bare_fabric 2
	setup of_one_make
	setup start_sm sm1
	setup eventually ports_are ACTIVE
	setup host 1 2
	setup eventually is_up "$h1"
	setup eventually is_up "$h2"
	pkey=ffff setup eventually forwards_broadcast "$rdma1" "$rdma2"
else
	two_hosts
fi
must "both hosts have the same QPN" [ "$(qpn "$h1")" = "$(qpn "$h2")" ]
check "host 1 resolves host 2 by broadcast" ping_all "$h1" 10.0.0.2
check "host 2 resolves host 1 by multicast" ping_all "$h2" fd00::1
