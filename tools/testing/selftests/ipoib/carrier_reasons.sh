#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# Why there is no carrier: debugfs says it, and the log, each new reason once. When the
# reason has gone the interface comes up by itself.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group='broadcast group: '

# partition OPTIONS MEMBERS: a subnet manager with that one, and another without IPoIB
partition()
{
	partitions="Default=0x7fff$1 : $2, SELF=full;"
	partitions+=$'\nred=0x0001 : ALL=full, SELF=full;'
	[ -z "${sm_pid[sm1]-}" ] || kill_sm sm1
	start_sm sm1
}

# says REASON: and there is no carrier
says()
{
	status "$rdma2" reason
	[ "$(status "$rdma2" reason)" = "$1" ] && ! has_carrier "$h2"
}

# logged REASON: and nothing twice in a row
logged()
{
	kernel_log | sed -n 's/.* ib0: no link: //p' | tee "$tmp/reasons"
	grep -Fx "$1" "$tmp/reasons" && [ -z "$(uniq -d "$tmp/reasons")" ]
}

# no_carrier REASON
no_carrier()
{
	check "$1" eventually says "$1"
	check "the log says so" eventually logged "$1"
}

# asked_again: down and up makes it ask at once
asked_again()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

# false_group: somebody makes a broadcast group that is said to be of another partition
false_group()
{
	local record

	record=ff12401bffff000000000000ffffffff
	record+=$(tr -d : < "/sys/class/infiniband/$rdma1/ports/1/gids/0")
	record+=00000b1b00008500800187000000000021000000
	# IBTA 15.2.5.17: Set, and all that makes a group
	ask_sa "$rdma1" 02 0038 130c7 "$record" && sa_has ff12:401b:ffff::ffff:ffff
}

plan 12
setup bare_fabric 2
# 120 Gbit/s, more than the ports can do
setup partition ", ipoib, mtu=5, rate=10" ALL=full
setup eventually subnet_is_up sm1
setup host 2
no_carrier "${group}the join is refused"
setup partition ", ipoib, mtu=5, rate=7" ALL=full
check "all is well: it comes up" eventually is_up "$h2"
setup eventually subnet_is_up sm1
setup ib_knob drop_sa_dlid "$(($(< "/sys/class/infiniband/$rdma1/ports/1/lid")))"
setup asked_again
no_carrier "${group}the SA does not answer"
setup ib_knob drop_sa_dlid 0
check "it answers: the interface comes up" eventually is_up "$h2"
setup ip -n "$h2" link set ib0 down
setup partition "" ALL=full
setup eventually subnet_is_up sm1
setup eventually false_group
setup ip -n "$h2" link set ib0 up
no_carrier "${group}the SA describes it wrongly, or it has another Q_Key"
setup partition ", ipoib, mtu=5, rate=7" ALL=full
check "it is right: the interface comes up" eventually is_up "$h2"
setup ib_knob "$rdma2/fail_query_port" Y
setup asked_again
no_carrier "the port cannot be queried"
setup ib_knob "$rdma2/fail_query_port" N
check "it can: the interface comes up" eventually is_up "$h2"
