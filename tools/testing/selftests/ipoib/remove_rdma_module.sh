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

# goes: where lockdep looks after sockets, each keeps its module, and rxe has one for each queue
# pair: there its devices have to go first
goes()
{
	on_ib || [ "$(< /sys/module/$module/refcnt)" -eq 0 ] ||
		{ rdma link del "$rdma1" && rdma link del "$rdma2"; } || return
	rmmod $module
}

module=rdma_rxe
! on_ib || module=ibdevsim

plan 3
two_hosts
setup traffic
check "the module goes" goes
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
