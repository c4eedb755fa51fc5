#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A subnet manager that was restarted knows of nobody who wants reports and may have
# given ports other LIDs: who was there before subscribes again, so that a router hears
# of new groups, and asks for its paths anew. Down and up is no obstacle, nor another
# service level of the subnet manager.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# hears N: host 2 joins group N, and the router, host 1, joins that for it was made
hears()
{
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:500$1,ip-add-membership=239.1.2.$1:ib0" /dev/null
	eventually joined "$rdma1" ff12:401b:ffff::f01:20"$1" nonmember
}

# restart_sm: without one something else happens
restart_sm()
{
	setup kill_sm sm1
	"$@"
	setup start_sm sm1
	setup eventually subnet_is_up sm1
}

lid_changes()
{
	setup ib_knob "$rdma2/lid" 77
	check "the other host has another LID: it is lost" \
		not answers "$h1" 10.0.0.2 -W 2
}

log_has()
{
	kernel_log | grep "$1"
}

# ends_with SL: subscriptions were asked for with that service level in the end; a port
# is told to register anew a little before it is told of that
ends_with()
{
	uniq -c "$tmp/sls"
	[ "$(tail -n 1 "$tmp/sls")" = "$1" ]
}

plan 8
ib_hosts 2
# So that nobody hears from the other one, where it is, but by the subnet manager.
setup knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
setup knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
setup ip -n "$h1" link set ib0 allmulticast on
setup ping_all "$h1" 10.0.0.2
check "a router hears of a new group" hears 1
restart_sm lid_changes
check "with a new subnet manager the other host is found" \
	eventually answers "$h1" 10.0.0.2
check "and the router hears of new groups" hears 2
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 up
setup eventually joined "$rdma1" ff12:401b:ffff::f01:201 nonmember
check "after down and up, too" hears 3
check "nobody else had the reports" not log_has 'go to somebody else'
sm_sl=3
setup capture "$eth1"
restart_sm true
check "with another service level, too" hears 4
decode 'infiniband.mad.attributeid == 0x0003 && infiniband.mad.method == 0x02' \
	infiniband.lrh.sl > "$tmp/sls"
check "which questions have from then on" ends_with 3
