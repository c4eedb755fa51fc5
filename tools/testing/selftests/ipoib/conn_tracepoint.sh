#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they receive no message of 65524 octets
#
# Each change of a connection's state is traced, at both ends.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# states N: those that connections with host N have had, in order
states()
{
	local rdma=rdma$1 gid

	gid=$(status "${!rdma}" gid)
	sed -n "s/.*ipoib_conn_state: dev=ib0 gid=$gid //p" $tracing/trace |
		paste -sd , | tee -a /dev/stderr
}

# went N STATE...: and no other way
went()
{
	[ "$(states "$1")" = "$2" ]
}

plan 4
two_hosts
setup connected rc 1 2
setup sh -c "echo > $tracing/trace"
setup sh -c "echo 1 > $tracing/events/ipoib/ipoib_conn_state/enable"
defer sh -c "echo 0 > $tracing/events/ipoib/ipoib_conn_state/enable"
setup eventually answers "$h1" 10.0.0.2 -s 60000 -M "do"
opened="new -> resolving,resolving -> req_wait,req_wait -> req_sent,req_sent -> established"
accepted="new -> rep_sent,rep_sent -> established"
closed="disconnecting -> flushing,flushing -> dead"
sent_dreq="established -> draining,draining -> dreq_wait,dreq_wait -> disconnecting,$closed"
got_dreq="established -> draining,draining -> dreq_rcvd,dreq_rcvd -> disconnecting,$closed"
check "who has asked" eventually went 2 "$opened"
check "who was asked" eventually went 1 "$accepted"
setup mode datagram 2
check "who has asked is told" eventually went 2 "$opened,$got_dreq"
check "who was asked has closed it" eventually went 1 "$accepted,$sent_dreq"
