#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles
#
# An RDMA device that goes under traffic, by rdma link del or pulled out, takes the
# interface of its port away.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

gone()
{
	! ip -n "$1" link show ib0
}

plan 5
two_hosts
setup traffic
check "the RDMA device goes" device_goes
check "its interface is gone" eventually gone "$h2"
check "the other host's is not" not gone "$h1"
setup device_comes
setup interface 2
check "a new one has carrier" eventually is_up "$h2"
check "and reaches the other host" eventually ping_all "$h1" 10.0.0.2 -w 2
