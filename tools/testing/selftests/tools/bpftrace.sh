#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: stock, for our own take no such programs
#
# bpftrace: the tracepoints of the driver in one line each.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# traces PROGRAM: until end_job $job; what the one before has said is forgotten
traces()
{
	mkdir -p "$tmp/bpftrace1"
	: > "$tmp/bpftrace1/log"
	daemon 1 bpftrace -B line -e "BEGIN { printf(\"it begins\n\"); } $1"
	setup eventually said 1 bpftrace "it begins"
}

needs bpftrace
plan 3
ib_hosts 2
machine 1
setup on 1 mount -n -t tracefs tracefs /sys/kernel/tracing
setup on 1 mount -n -t debugfs debugfs /sys/kernel/debug

traces 'tracepoint:ipoib:ipoib_dev_state { printf("%s %s %s\n", args->dev, args->from, args->to); }'
setup ip -n "$h1" link set ib0 down
check "an interface that goes down" eventually said 1 bpftrace "^ib0 up down$"
setup ip -n "$h1" link set ib0 up
check "and comes up" eventually said 1 bpftrace "^ib0 joining up$"
setup end_job "$job"

traces 'tracepoint:ipoib:ipoib_drop { @[args->dev, args->reason] = count(); }'
setup send_frames "$h1" "$h2" 1234 100
setup end_job "$job"
check "drops, by interface and reason" eventually said 1 bpftrace "^@\[ib0, tx_unknown_proto\]: 5$"
