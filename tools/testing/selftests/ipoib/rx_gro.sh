#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets of a TCP stream go up to the stack in larger pieces than they came.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 16M)

plan 2
two_hosts
packets=$(counter "$h2" rx0_packets)
segments=$(snmp "$h2" TcpInSegs)
check "$size are sent" stream "$size"
packets=$(($(counter "$h2" rx0_packets) - packets))
segments=$(($(snmp "$h2" TcpInSegs) - segments))
note "$packets packets, $segments segments"
check "half as many segments at most" [ $((2 * segments)) -lt "$packets" ]
