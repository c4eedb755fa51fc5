#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A neighbour that no route leads to is dropped with a reason, whatever its
# address says, and harms nobody else.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# unreachable ADDRESS LLADDR COUNTER: three drops are counted there
unreachable()
{
	local before

	ip -n "$h1" neigh replace "$1" lladdr "$2" nud permanent dev ib0 || return
	before=$(counter "$h1" "$3")
	in_ns "$h1" ping -q -c 3 -i 0.05 -W 1 "$1"
	eventually grew "$h1" "$3" $((before + 2)) && not grew "$h1" "$3" $((before + 3))
}

# tries_failed ADDRESS PATTERN: in a row
tries_failed()
{
	grep "^$1 .* failures=$2\$" "$debug/$rdma1.1.ffff/peers"
}

plan 8
two_hosts
check "the other host is reached" quiet_hosts 1 2
recoveries=$(counter "$h1" qp_recoveries)
fe80=fe:80:00:00:00:00:00:00
check "a GID of nobody" unreachable 10.0.0.98 \
	00:00:00:11:$fe80:00:00:00:00:00:00:de:ad drop_tx_no_path
check "tries that failed are shown" tries_failed \
	00:00:00:11:$fe80:00:00:00:00:00:00:de:ad '[1-9][0-9]*'
check "a GID that is not link-local" unreachable 10.0.0.97 \
	00:00:00:11:20:01:0d:b8:00:00:00:00:00:00:00:00:00:00:de:ad \
	drop_tx_no_path
check "no GID" unreachable 10.0.0.96 \
	00:00:00:11:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00 \
	drop_tx_no_peer
flood "$h1" 10.0.0.98 -i 0.01
check "the other host is reached meanwhile" ping_all "$h1" 10.0.0.2
check "and reaches us" ping_all "$h2" 10.0.0.1
check "no queue pair had to be recovered" \
	[ "$(counter "$h1" qp_recoveries)" = "$recoveries" ]
