#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Where GRO may hold packets beyond a poll, one that is alone in the next poll does not
# overtake them. Soft-RoCE does not keep packets in order itself: what it sends from another CPU
# than before waits in another backlog of the receiver.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

# hold NS: until something else comes of the same stream, or for 20 ms
hold()
{
	in_sysfs "$1" sh -c 'echo 20000000 > /sys/class/net/ib0/gro_flush_timeout'
}

# packets tx|rx NS: as datagrams and by connections
packets()
{
	local datagrams conn

	datagrams=$(counter "$2" "${1}_packets")
	conn=$(counter "$2" "conn_$1_packets")
	echo $((${datagrams:-0} + ${conn:-0}))
}

# in_order: what is sent, when nothing is lost: what follows that is late, too
in_order()
{
	local i sent received late

	for i in {1..20}; do
		sent=$(packets tx "$h1") received=$(packets rx "$h2")
		late=$(snmp "$h2" TcpExtTCPOFOQueue)
		stream "$size" || return
		sent=$(($(packets tx "$h1") - sent)) received=$(($(packets rx "$h2") - received))
		late=$(($(snmp "$h2" TcpExtTCPOFOQueue) - late))
		echo "$i: $sent sent, $received received, $late out of order"
		[ $sent -ne $received ] || { [ $late -eq 0 ]; return; }
	done
	return "$cannot_tell"
}

plan 2
two_hosts
setup hold "$h2"
for mode in datagram connected; do
	setup mode "$mode" 1 2
	setup ip -n "$h1" link set ib0 mtu 2044
	setup ping_all "$h1" 10.0.0.2 -s 1000
	[ "$mode" = datagram ] || setup eventually by_connection 1 5000 ping_all "$h1" 10.0.0.2 -s 1000
	check "$mode: of $size none is out of order" in_order
done
