#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A port that is active makes no link: there is no carrier before the broadcast
# group is joined, and none when the subnet manager has none.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

reason='broadcast group: the SA knows no such group'

# carrier_means_joined: whatever is seen first
carrier_means_joined()
{
	! has_carrier "$h1" || is_member "$rdma1" ff12:401b:ffff::ffff:ffff
}

logged()
{
	kernel_log | grep "ib0: no link: $reason"
}

reason_is()
{
	[ "$(status "$rdma1" reason)" = "$1" ]
}

plan 5
with=$partitions
partitions='Default=0x7fff : ALL=full, SELF=full;'
ib_fabric 2
setup host 1
check "debugfs says what is missing" eventually reason_is "$reason"
check "the log does, too" eventually logged
check "there is no carrier" not has_carrier "$h1"
partitions=$with
setup reload_sm sm1
for ((i = 0; i < 1000; i++)); do
	carrier_means_joined || { early=yes; break; }
	! has_carrier "$h1" || break
	nap
done
check "with the group the interface comes up" has_carrier "$h1"
check "and not before" [ -z "${early-}" ]
