#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The HCA would cut TCP into segments that are too long for the path to one host: its sender is
# told, or sends them in fragments if he does not want to know. Others get as much as ever.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# shorter_path: what the subnet administrator says of the way to host 2: 2048 octets
shorter_path()
{
	ib_knob mad_rules "class=3 method=0x81 attr=0x35 match=64:$(
		tr -d : < "/sys/class/infiniband/$rdma2/ports/1/gids/0") set=110:84"
}

# anew: nothing is known of the path, and he may want to know or not
anew()
{
	in_ns "$h1" sysctl -q net.ipv4.ip_no_pmtu_disc="$1" &&
		ip -n "$h1" route flush cache
}

mtu_is_known()
{
	ip -n "$h1" route get 10.0.0.2 | tee -a /dev/stderr | grep -q "mtu 2044"
}

fragments()
{
	in_ns "$h1" nstat -asz IpFragCreates | awk '$1 == "IpFragCreates" { print $2 }'
}

# in_fragments: and nothing is dropped on the way to that
in_fragments()
{
	local before too_long no_memory

	before=$(fragments) too_long=$(counter "$h1" drop_tx_too_long) &&
		no_memory=$(counter "$h1" drop_tx_no_memory) &&
		transfer "$h1" "$h2" 10.0.0.2 1M && [ "$(fragments)" -gt "$before" ] &&
		[ "$(counter "$h1" drop_tx_too_long)" = "$too_long" ] &&
		[ "$(counter "$h1" drop_tx_no_memory)" = "$no_memory" ]
}

IBDEVSIM_PROFILE=mlx4
plan 4
ib_fabric 3
setup shorter_path
setup host 1 2 3
setup eventually is_up "$h1"
setup eventually is_up "$h2"
setup eventually ping_all "$h1" 10.0.0.2
setup anew 0
check "he is told, and sends shorter ones" transfer "$h1" "$h2" 10.0.0.2 1M
check "he knows" mtu_is_known
setup anew 1
check "fragments, if he does not want to know" in_fragments
check "long ones to others" transfer "$h1" "$h3" 10.0.0.3 1M
