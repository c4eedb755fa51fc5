#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The subnet administrator answers who asks for a path with one from a GID that is nobody's.
# The peer hears all the same from whom a connection is, and sends by it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# opened: host 2 has a connection. Host 1 does not answer what it sends, and opens none itself
opened()
{
	send_udp "$h2" 10.0.0.1 9 1
	has_connection 2 state=established
}

lied()
{
	local said

	said=$(< "$ibdevsim/mad_rules")
	echo "$said"
	[[ $said != *"applied 0:"* ]]
}

plan 4
ib_hosts 2
setup eventually ping_all "$h1" 10.0.0.2 -w 2
background ip netns exec "$h1" socat -u UDP4-RECV:9 /dev/null
setup eventually receives "$h1" 9
gid=$(tr -d : < "/sys/class/infiniband/$rdma2/ports/1/gids/0")
# The last octet of the SGID: IBTA 15.2.5.16, behind the headers of 56 octets
setup ib_knob mad_rules "class=3 method=0x81 attr=0x35 match=80:$gid set=95:ee"
setup connected rc 1 2
check "host 2 opens a connection" eventually opened
check "by a path from somebody else's GID" lied
address=$(lladdr "$h2")
check "host 1 has one with host 2" eventually has_connection 1 state=established "${address#*:}"
check "and sends by it" eventually by_connection 1 answers "$h1" 10.0.0.2
