#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where GRO may hold packets beyond a poll, one that is alone in the next poll does not
# overtake them.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

# hold NS: until something else comes of the same stream, or for 20 ms
hold()
{
	in_sysfs "$1" sh -c 'echo 20000000 > /sys/class/net/ib0/gro_flush_timeout'
}

plan 4
two_hosts
setup hold "$h2"
for mode in datagram connected; do
	setup mode "$mode" 1 2
	setup ip -n "$h1" link set ib0 mtu 2044
	setup ping_all "$h1" 10.0.0.2 -s 1000
	before=$(snmp "$h2" TcpExtTCPOFOQueue)
	check "$mode: $size are sent" stream "$size"
	late=$(($(snmp "$h2" TcpExtTCPOFOQueue) - before))
	check "$mode: none of it is out of order" [ "$late" -eq 0 ]
done
