#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The broadcast group is in a wider scope than the link-local one: it is found,
# and all groups of the link are in that scope (RFC 4391, 5).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

groups()
{
	cut -d ' ' -f 1 "$debug/$rdma1.1.ffff/groups" | grep "${@:2}" "^$1"
}

plan 6
partitions='Default=0x7fff :
mgid=ff15:401b::ffff:ffff,scope=5,Q_Key=0xb1b,mtu=4,rate=3
ALL=full, SELF=full;'
ib_hosts 2
check "the group is found" [ "$(status "$rdma1" broadcast)" = \
	ff15:401b:ffff::ffff:ffff ]
check "ip shows it" sh -c \
	"ip -n $h1 link show ib0 | grep 'brd 00:ff:ff:ff:ff:15:40:1b:ff:ff'"
check "IPv4 goes through" ping_all "$h1" 10.0.0.2
check "IPv6 goes through" ping_all "$h1" fd00::2
check "groups of the stack are in its scope" \
	eventually is_member "$rdma1" ff15:401b:ffff::1
check "none is in another" not groups ff15: -v
