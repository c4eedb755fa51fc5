#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The subnet administrator is busy, sends us elsewhere, wants to report nothing, or ends its
# list of groups early. Whatever it was, it is asked again, and when it answers all is well.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# says ATTRIBUTE OFFSET OCTETS: all answers about it have these octets there, and no others do
says()
{
	local method

	means_well || return
	# GetResp, which is that to Set, too, and GetTableResp; IBTA 15.2.2
	for method in 0x81 0x92; do
		ib_knob mad_rules "class=3 method=$method attr=$1 set=$2:$3" || return
	done
}

# was_said N: so often
was_said()
{
	awk -v n="$1" '{ print; said += $4 } END { exit said < n }' "$ibdevsim/mad_rules"
}

means_well()
{
	ib_knob mad_rules ''
}

asks_for_path()
{
	forget_neighbours "$h1" dev ib0
	answers "$h1" 10.0.0.2 -W 1
	was_said 2
}

goes_down_and_up()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

# log_says REGEX. A kernel without names of errors has their numbers
log_says()
{
	kernel_log | grep -E "$rdma1: port 1: no reports of the subnet administrator yet: $1"
}

# hears_all: the router, of each group that host 2 is in
hears_all()
{
	local n

	for n in 1 2 3 4 5 6; do
		joined "$rdma1" ff12:401b:ffff::f01:20$n nonmember || return
	done
}

# IBTA 13.4.7: status 1, busy; 2, redirection. 15.4.6: 7, denied
plan 10
ib_hosts 2
for status in 0001 0002; do
	setup says 0x0038 4 $status
	setup goes_down_and_up
	check "groups, status $status: asked again" eventually was_said 2
	setup means_well
	check "in the end the link comes up" eventually is_up "$h2"
done

setup ip -n "$h1" link set ib0 down
setup says 0x0035 4 0001
setup ip -n "$h1" link set ib0 up
setup eventually is_up "$h1"
check "paths: asked again" eventually asks_for_path
setup means_well
check "in the end there is one" eventually ping_all "$h1" 10.0.0.2 -w 2

setup says 0x0003 4 0700
setup kill_sm sm1
setup start_sm sm1
setup eventually subnet_is_up sm1
check "reports are refused: the log says so" \
	eventually log_says '(-EACCES|-13), status 0x0700'
for n in 1 2 3 4 5 6; do
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:500$n,ip-add-membership=239.1.2.$n:ib0" /dev/null
done
setup eventually joined "$rdma2" ff12:401b:ffff::f01:206 member
# IBTA 13.6.2.1: the first segment is the last one
setup says 0x0038 26 07
setup ip -n "$h1" link set ib0 allmulticast on
check "the list of groups ends early, and a router hears of some" eventually was_said 1
setup not hears_all
setup means_well
check "in the end it hears all, though nobody reported" eventually hears_all
check "and all talk" eventually ping_all "$h1" 10.0.0.2 -w 2
