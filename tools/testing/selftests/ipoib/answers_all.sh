#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A host asks another, as much as that receives in one poll; then seven hosts the eighth, 64
# large pings each at once, or half as many. It looks at what has arrived every 20 ms only, and answers that: the
# one socket from which all answers come is not held up by packets that have been sent, or that
# wait. Sockets of ping have no room for that many answers, so the stack's counters tell how
# many there are.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# in_bursts: host 1 receives, and learns what has been sent, that way
in_bursts()
{
	in_sysfs "$h1" sh -c 'cd /sys/class/net/ib0 && echo 20000000 > gro_flush_timeout &&
		echo 10 > napi_defer_hard_irqs'
}

# ring_is_limit: as much may be on its way as each ring holds. What the stack has not given
# the driver yet is charged to the sender on any network
ring_is_limit()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_sysfs "$h1" sh -c 'for queue in /sys/class/net/ib0/queues/tx-*; do
			echo 2000000 > $queue/byte_queue_limits/limit_min || exit
		done'
}

# no_error: no answer could not be sent, since there were $errors
no_error()
{
	local now

	now=$(snmp "$h1" IcmpOutErrors)
	echo "$now, $errors before"
	[ "$now" = "$errors" ]
}

# ask_all: from all hosts at a time, $many pings each, of $size octets
ask_all()
{
	local n ns jobs=()

	for n in 2 3 4 5 6 7 8; do
		ns=h$n
		in_ns "${!ns}" ping -q -l "$many" -c "$many" -W 1 -s "$size" 10.0.0.1 > "$tmp/ping.$n" 2>&1 &
		jobs+=($!)
	done
	wait "${jobs[@]}"
}

# all_of NAME: the sum of this counter of those who ask
all_of()
{
	local n ns sum=0

	for n in 2 3 4 5 6 7 8; do
		ns=h$n
		((sum += $(snmp "${!ns}" "$1")))
	done
	echo "$sum"
}

# answers_come: for 99 of 100 requests that have arrived. In connected mode those are all,
# and in datagram mode the larger part even if the receive ring had no room for the rest
answers_come()
{
	local sent came answers least=50

	sent=$(($(all_of IcmpOutEchos) - out_before))
	came=$(($(snmp "$h1" IcmpInEchos) - in_before))
	answers=$(($(all_of IcmpInEchoReps) - answers_before))
	echo "$sent requests, $came have come, $answers answers"
	[ "$mode" = datagram ] || least=99
	[ "$sent" -ge $((7 * many)) ] && [ $((came * 100)) -ge $((sent * least)) ] &&
		[ $((answers * 100)) -ge $((came * 99)) ]
}

plan 5
for n in 4 5 6 7 8; do
	printf -v "h$n" 'ipoib-%d-%d' "$id" "$n"
	printf -v "rdma$n" 'ibdevsim%d' $((n - 1))
done
ib_hosts 8
setup in_bursts
setup eventually answers "$h2" 10.0.0.1 -s 8000
errors=$(snmp "$h1" IcmpOutErrors)
# Two datagrams each
in_ns "$h2" ping -q -l 32 -c 32 -W 1 -s 8000 10.0.0.1 > "$tmp/ping"
check "what comes in one poll is answered" no_error
setup ring_is_limit
for mode in datagram connected; do
	# All answers together have room in the send ring: one datagram each, 256 of them.
	[ $mode = datagram ] && many=32 size=4000 || many=64 size=8000
	setup mode $mode 1 2 3 4 5 6 7 8
	for n in 2 3 4 5 6 7 8; do
		ns=h$n
		setup eventually answers "${!ns}" 10.0.0.1 -s 8000
	done
	errors=$(snmp "$h1" IcmpOutErrors)
	out_before=$(all_of IcmpOutEchos) answers_before=$(all_of IcmpInEchoReps)
	in_before=$(snmp "$h1" IcmpInEchos)
	ask_all
	check "$mode: what has come is answered" eventually answers_come
	check "$mode: no answer could not be sent" no_error
done
