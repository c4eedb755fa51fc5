#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# An HCA cannot reset its queue pairs, and may be using what was posted to them. That is
# freed when they have been destroyed; another one takes the place of an interface's.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ud_qpn()
{
	echo $((0x$(lladdr "$1" | cut -d: -f2-4 | tr -d :)))
}

another_qpn()
{
	[ "$(ud_qpn "$h2")" -ne "$qpn" ] && is_up "$h2"
}

reached()
{
	ping_all "$h1" 10.0.0.2 -w 2 && ping_all "$h2" 10.0.0.1 -w 2
}

# taken_out N
taken_out()
{
	echo "$1" > /sys/devices/ibdevsim/del_hca
}

keeps_handles()
{
	cat "$ibdevsim/$rdma2/objects"
	[ "$(sed -n 's/^ah //p' "$ibdevsim/$rdma2/objects")" -gt 0 ]
}

# That is said: it is stalled, too.
expected='QP did not give its packets back'
plan 7
ib_hosts 2
setup reached
qpn=$(ud_qpn "$h2")
setup flood "$h1" 10.0.0.2
setup ib_knob "$rdma2/fail_reset" Y
setup ib_knob "$rdma2/stall" 1
in_ns "$h2" ping -q -c 20 -i 0.01 -W 0.1 10.0.0.1 > /dev/null
check "the interface goes down" ip -n "$h2" link set ib0 down
check "what the HCA may use is kept" keeps_handles
setup ib_knob "$rdma2/stall" 0
setup ip -n "$h2" link set ib0 up
check "it comes up with another queue pair" eventually another_qpn
check "both reach each other" eventually reached
setup connected rc 1 2
check "a connection" eventually by_connection 2 3000 ping_each "$h2" 10.0.0.1 -w 2 -s 4000
setup mode datagram 1 2
check "it ends" eventually nothing_of conn
setup ib_knob "$rdma2/stall" 1
check "the HCA is taken out as it is" taken_out 1
