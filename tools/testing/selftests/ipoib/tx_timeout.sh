#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for the address is another one after that
#
# An HCA takes packets and sends nothing: the stack's watchdog notices, the driver says how
# much the HCA has, counts, and goes on when the HCA does.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

stalls()
{
	ib_knob "$rdma2/stall" "$1"
}

# said TEXT: by the interface
said()
{
	kernel_log | grep "ib0: $1"
}

reached()
{
	ping_all "$h2" 10.0.0.1 -w 2
}

expected="QP did not give its packets back|$watchdog_says"
plan 4
ib_hosts 2
setup quiet_hosts 1 2
setup flood "$h2" 10.0.0.1
setup stalls 1
check "the stack notices" eventually said 'NETDEV WATCHDOG: .*timed out'
check "the driver says what the HCA has" \
	eventually said 'the HCA has had [1-9][0-9]* of 256 datagrams for too long'
check "it counts" grew "$h2" tx_timeouts 0
setup stalls 0
check "it goes on with its HCA" eventually reached
