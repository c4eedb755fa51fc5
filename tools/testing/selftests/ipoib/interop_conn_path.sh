#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma or hfi1, for ib_ipoib makes no connections on them, or these have one path
#
# ib_ipoib takes the alternate path of a connection that we ask for, and goes over
# to it with us. On a device that cannot, it refuses the connection: it gets one
# with one path.

kind=ipoibx
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# arrive N: requests of 20000 octets at host 2, which answers none
arrive()
{
	local before

	before=$(snmp "$h2" IcmpInEchos)
	in_ns "$h1" ping -q -c "$1" -W 1 -s 20000 10.0.0.2
	eventually came $((before + $1))
}

came()
{
	[ "$(snmp "$h2" IcmpInEchos)" -ge "$1" ]
}

# shellcheck disable=SC2034 # this is the refusal
expected='failed to modify QP to RTR: -95'
plan 5
# shellcheck disable=SC2034 # for the subnet manager
lmc=1
interop_hosts ours
setup interop_connected
setup eventually by_connection 1 20000 answers "$h1" 10.0.0.2 -s 20000
check "it takes the path" \
	has_connection 1 state=established opened_by=us alternate=yes
# The connection that host 2 has asked for has one path. What breaks ours takes the
# acknowledgements from that one too, so that it must not send meanwhile.
setup knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
setup knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
setup in_ns "$h2" sh -c 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all'
setup break_path 2
check "and goes over to it" by_connection 1 100000 arrive 5
check "with us" eventually has_connection 1 state=established opened_by=us migrations=1

setup mend_path
setup in_ns "$h2" sh -c 'echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all'
setup mode datagram 1
setup ib_knob "$rdma2/migration" 0
setup eventually nothing_of conn
setup interop_connected
check "where it cannot, there is one path" \
	eventually by_connection 1 20000 answers "$h1" 10.0.0.2 -s 20000
check "and no other" has_connection 1 state=established opened_by=us alternate=no
