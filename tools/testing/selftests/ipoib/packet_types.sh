#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The stack is told whom a packet was for: this host, all of them, or a group.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# comes_as TYPE ADDRESS [OPTION]: as tcpdump prints it, of what goes there
comes_as()
{
	in_ns "$h1" ping -q -c 1 -W 0.1 "${@:3}" "$2"
	grep " ib0 *$1 *IP 10.0.0.1 > $2: ICMP echo request" "$tmp/background.log"
}

plan 3
two_hosts
setup ip -n "$h1" route add 224.0.0.0/4 dev ib0
background ip netns exec "$h2" tcpdump -l -n -i any 'icmp[icmptype] == icmp-echo'
setup eventually grep "^listening" "$tmp/background.log"
check "for the host" eventually comes_as In 10.0.0.2
check "for all" eventually comes_as B 10.0.0.255 -b
check "for a group" eventually comes_as M 224.0.0.1
