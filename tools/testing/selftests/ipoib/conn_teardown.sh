#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
#
# What ends connections in the middle of traffic, ends them soon, whether the peer
# takes part or not: the interface goes down, the peer's RDMA device goes, the link
# is cut, the module goes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

connects()
{
	eventually is_up "$h1" && eventually is_up "$h2" &&
		eventually by_connection 1 60000 answers "$h1" 10.0.0.2 -s 60000
}

down_up()
{
	within 30 ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up
}

cut_link()
{
	if on_ib; then
		ib_knob ibdevsim1/link 0
	else
		ip link set "$eth2" down
	fi
}

# goes_down TRANSPORT: under traffic
goes_down()
{
	setup connected "$1" 1 2
	setup traffic
	check "$1: there are connections" connects
	check "an interface goes down, and up" down_up
}

plan 11
two_hosts
goes_down uc
goes_down rc
check "there are connections" connects
check "the peer's RDMA device goes" device_goes
check "no connection is left" eventually has_no_connection 1
setup device_comes
setup interface 2
setup connected rc 1 2
setup traffic
check "there are connections" connects
check "the link is cut" cut_link
# Not by UC, where only who sends misses anything.
check "no connection is left" eventually nothing_of conn
check "the module goes" within 60 rmmod ipoib
