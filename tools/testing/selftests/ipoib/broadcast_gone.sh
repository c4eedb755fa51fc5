#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A new subnet manager may not have made the broadcast group yet: those who talk go on.
# If it says for half a minute that there is none, there is no link.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

refused()
{
	grep '^ff12:401b:ffff::ffff:ffff state=backoff .* error=-2$' \
		"$debug/$rdma1.1.ffff/groups"
}

reason_is()
{
	[ "$(status "$rdma1" reason)" = "$1" ]
}

plan 5
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
setup kill_sm sm1
partitions='Default=0x7fff : ALL=full, SELF=full;'
setup start_sm sm1
check "there is no broadcast group any more" eventually refused
check "those who talk go on" ping_all "$h1" 10.0.0.2
check "the link stays for now" has_carrier "$h1"
# After 30 s, by one of the questions of which there may be 16 s between two.
check "but not for ever" busywait $((patience + 30000)) not has_carrier "$h1"
check "and debugfs says why" \
	eventually reason_is 'broadcast group: the SA knows no such group'
