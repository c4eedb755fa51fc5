#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for a send that fails takes its queue pair with it
#
# The HCA of host 2 cannot send a datagram and stops sending. The interface has it go on:
# receiving never stopped, and of its peers only the one is asked for anew.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# fails: what is sent next, unless that is a question of the RDMA core's
fails()
{
	ib_knob "$rdma2/fail_send" 1
	in_ns "$h2" ping -q -c 1 -W 1 10.0.0.1
	grew "$h2" qp_recoveries "$recoveries"
}

# knows_host N: host 2, and has a path
knows_host()
{
	local ns=h$1

	grep "^$(lladdr "${!ns}") state=ready" "$debug/$rdma2.1.ffff/peers"
}

plan 5
ib_hosts 3
setup quiet_hosts 1 2 3
setup knows_host 3
recoveries=$(counter "$h2" qp_recoveries) posts=$(counter "$h2" rx0_posts)
check "a send fails, and the queue pair recovers" eventually fails
check "who was not concerned is known" knows_host 3
note "$(($(counter "$h2" rx0_posts) - posts)) posts"
check "receive buffers were left alone" [ "$(counter "$h2" rx0_posts)" -lt $((posts + 10)) ]
check "the other host is reached again" eventually ping_all "$h2" 10.0.0.1 -w 2
check "and reaches us" ping_all "$h3" 10.0.0.2
