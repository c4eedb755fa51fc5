#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# Packets of a TCP stream go up to the stack in larger pieces than they came.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

plan 2
two_hosts
setup poll_late "$h2"
packets=$(counter "$h2" rx0_packets)
segments=$(snmp "$h2" TcpInSegs)
check "$size are sent" stream "$size"
packets=$(($(counter "$h2" rx0_packets) - packets))
segments=$(($(snmp "$h2" TcpInSegs) - segments))
note "$packets packets, $segments segments"
# Without GRO each is a segment.
check "fewer segments, by a quarter at least" \
	[ $((4 * segments)) -lt $((3 * packets)) ]
