#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: not locks, for it ends DMA_API_DEBUG when there is no memory for that
# Extended: few kernels can have allocations fail
#
# When no memory can be had for receive buffers packets are lost, but as soon as there is some again
# everything is as before, though nothing arrives that could remind the interface. What came before
# that waits for a program, or its pages would be used again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"

expected+='|page allocation failure|^(CPU|Hardware name|Workqueue|Mem-Info|Node |lowmem)'

# sends_much: 400 datagrams, none of which is copied
sends_much()
{
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		socket my $s, PF_INET, SOCK_DGRAM, 0 or die "socket: $!";
		for (1 .. 400) {
			send $s, "x" x 1400, 0, sockaddr_in(9, inet_aton("10.0.0.2")) or die "send: $!";
			select undef, undef, undef, 0.001;
		}'
}

failing()
{
	sends_much
	grew "$h2" rx0_alloc_failed 10
}

needs_fail_nth
plan 4
can_be_scarce
two_hosts
setup ping_all "$h1" 10.0.0.2
setup reads_nothing "$h2"
setup scarce pages 100
check "allocations fail" eventually failing
setup plenty 10
check "packets are received again" eventually ping_all "$h1" 10.0.0.2 -w 2
check "large ones, too" ping_all "$h1" 10.0.0.2 -s 30000 -c 20 -i 0.2
check "and none is lost" ping_all "$h1" 10.0.0.2 -i 0 -c "$(much 1000)"
