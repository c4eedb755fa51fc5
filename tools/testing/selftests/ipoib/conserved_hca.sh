#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for the address is another one when a send has failed
#
# The HCA of host 2 refuses packets, one at a time or in the middle of a batch, fails to send
# one, or has some when the link goes down: none goes uncounted, no other one is lost, and the
# stack takes none for one that is still on its way, which would hold up others.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# none_in_flight: by the byte queue limits of host 2. The first packet in a while asks for a
# completion, which tells of all before it.
none_in_flight()
{
	local octets

	send_udp "$h2" 10.0.0.1 9 1 || return
	octets=$(in_sysfs "$h2" cat /sys/class/net/ib0/queues/tx-0/byte_queue_limits/inflight)
	echo "$octets octets"
	[ "$octets" = 0 ]
}

# both_ways: fewer than there are receive buffers, for a busy machine may poll later than all come
both_ways()
{
	send_udp "$h1" 10.0.0.2 9 200 && send_udp "$h2" 10.0.0.1 9 200
}

refused_alone()
{
	local i

	for i in {1..10}; do
		ib_knob "$rdma2/fail_post_send" 1 && send_udp "$h2" 10.0.0.1 9 1 || return
	done
}

# refused_in_batch N: packets that wait behind a full ring go in batches, of which the Nth packet
# is refused
refused_in_batch()
{
	local before

	before=$(counter "$h2" drop_tx_post)
	ib_knob "$rdma2/stall" 1 && send_udp "$h2" 10.0.0.1 9 356 &&
		ib_knob "$rdma2/fail_post_send" "$1" && ib_knob "$rdma2/stall" 0 &&
		eventually grew "$h2" drop_tx_post "$before"
}

fails_in_hca()
{
	ib_knob "$rdma2/fail_send" 20 && send_udp "$h2" 10.0.0.1 9 100
}

# goes_down: while the HCA has twenty packets, which it gives back
goes_down()
{
	local qpn down

	qpn=$(($(status "$rdma2" qpn)))
	ib_knob "$rdma2/stall" 1 && send_udp "$h2" 10.0.0.1 9 20 || return
	ip -n "$h2" link set ib0 down &
	down=$!
	# The error state
	eventually grep "^$qpn type .* state 6" "$ibdevsim/$rdma2/qps"
	ib_knob "$rdma2/stall" 0 && wait $down
}

# A machine that stands still for five seconds has the driver wait in vain. The tally is the same.
expected='QP did not give its packets back'

plan 9
ib_hosts 2
setup quiet_hosts 1 2
setup ib_knob victim ipoib
check "packets that are refused" drops 2 10 tx_post refused_alone
check "are not in flight" eventually none_in_flight
recoveries=$(counter "$h2" qp_recoveries)
check "one of a batch that is refused" drops 2 1 tx_post refused_in_batch 5
check "is not in flight" eventually none_in_flight
check "and the queue pair goes on" [ "$(counter "$h2" qp_recoveries)" = "$recoveries" ]
check "others are sent" conserved both_ways
check "one that fails in the HCA" drops 2 some tx_flushed fails_in_hca
check "is not in flight" eventually none_in_flight
setup eventually answers "$h2" 10.0.0.1
# Another channel would take what it has sent of late for lost as well: its queue pair is destroyed,
# and tells nothing. So would this one where it waits in vain.
setup one_queue 2
setup eventually none_in_flight
check "those that it has when the link goes" drops 2 20 tx_flushed goes_down
