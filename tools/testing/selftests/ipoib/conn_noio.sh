#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they receive no message of 65524 octets
#
# A block device may be at the other end of a connection, and its packets wait for that. So no
# memory for a link, a path or a connection is waited for by I/O, at either end, nor for a queue
# pair that is replaced: an HCA notices that nothing is made like that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# replaced: the interface has a queue pair of another number
replaced()
{
	[ "$(status "$rdma1" qpn)" != "$qpn" ]
}

plan 6
ib_hosts 2
check "there are links and a path" eventually ping_all "$h1" 10.0.0.2 -w 2
check "without I/O" made_without_io
setup mode connected 1 2
check "a connection is made" answers "$h1" 10.0.0.2 -s 60000 -M "do" -W 20
check "without I/O, at both ends" made_without_io
qpn=$(status "$rdma1" qpn)
setup ib_knob "$rdma1/recv_cq_error" "$((qpn))"
check "the queue pair of datagrams is replaced" eventually replaced
check "without I/O, too" made_without_io
