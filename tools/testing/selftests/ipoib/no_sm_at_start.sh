#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Without a subnet manager interfaces wait and say so, once. When there is one
# they come up by themselves.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

reason='no subnet manager has activated the port'

lines()
{
	kernel_log | grep -c "ib0: no link: $reason"
}

state_is()
{
	[ "$(status "$rdma1" state)" = "$1" ]
}

# why_is REASON: both say so
why_is()
{
	[ "$(status "$rdma1" reason)" = "$1" ] && [ "$(status "$rdma2" reason)" = "$1" ]
}

plan 6
setup bare_fabric 2
setup host 1 2
check "the interface waits" eventually state_is waiting
check "debugfs says for what" eventually why_is "$reason"
check "there is no carrier" not has_carrier "$h1"
setup start_sm sm1
check "it comes up with the subnet manager" eventually is_up "$h1"
setup eventually is_up "$h2"
check "the log says once of each why there was no link" [ "$(lines)" -eq 2 ]
setup eventually forwards_broadcast "$rdma1" "$rdma2"
check "the link works" ping_all "$h1" 10.0.0.2
