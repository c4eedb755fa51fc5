#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The broadcast group is in a wider scope than the link-local one, the site's, the
# organisation's or the global one: it is found, and all groups of the link are in that scope
# (RFC 4391, 5).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

groups()
{
	cut -d ' ' -f 1 "$debug/$rdma1.1.ffff/groups" | grep "${@:2}" "^$1"
}

# scope_is DIGIT: from here on
scope_is()
{
	partitions="Default=0x7fff :
		mgid=ff1$1:401b::ffff:ffff,scope=$((16#$1)),Q_Key=0xb1b,mtu=4,rate=3
		ALL=full, SELF=full;"
}

# found_by HOST...: the group in that scope
found_by()
{
	local n rdma

	for n; do
		rdma=rdma$n
		[ "$(status "${!rdma}" broadcast)" = "ff1$scope:401b:ffff::ffff:ffff" ] || return
	done
}

reaches()
{
	ping_all "$h1" "$1" -w 2
}

plan 18
for scope in 5 8 e; do
	scope_is $scope
	if [ $scope = 5 ]; then
		ib_hosts 2
	else
		setup kill_sm sm1
		setup start_sm sm1
	fi
	# The old one is let go of after half a minute.
	check "$scope: the group is found" busywait $((patience + 30000)) found_by 1 2
	check "ip shows it" eventually sh -c \
		"ip -n $h1 link show ib0 | grep 'brd 00:ff:ff:ff:ff:1$scope:40:1b:ff:ff'"
	check "IPv4 goes through" eventually reaches 10.0.0.2
	check "IPv6 goes through" eventually reaches fd00::2
	check "groups of the stack are in its scope" \
		eventually is_member "$rdma1" "ff1$scope:401b:ffff::1"
	check "none is in another" not groups "ff1$scope:" -v
done
