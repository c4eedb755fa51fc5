#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan stock
#
# The module of the RDMA devices is removed under traffic, and takes them away and
# with them every interface.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

gone()
{
	! ip -n "$h1" link show ib0 && ! ip -n "$h2" link show ib0
}

module=rdma_rxe
! on_ib || module=ibdevsim

plan 3
two_hosts
setup traffic
check "the module goes" rmmod $module
check "the interfaces are gone" eventually gone
# It does not notice.
kill_sms
if on_ib; then
	setup bare_fabric 1
else
	setup modprobe rdma_rxe
	setup rdma_port "$eth1" "$rdma1"
fi
setup netns "$h3"
h1=$h3
check "the port can have one again" interface 1
