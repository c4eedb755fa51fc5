#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Children leave checksums and cutting to the HCA as their parent does, and can be told not to
# while it goes on.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# has_child N: on the P_Key 0x8001, with 10.0.1.N
has_child()
{
	local ns=h$1

	ip -n "${!ns}" -batch - <<-END
		link add link ib0 name red type ipoib pkey 0x8001
		link set red up
		addr add 10.0.1.$1/24 brd + dev red
	END
}

# feature NAME VALUE [INTERFACE]: of host 1
feature()
{
	in_ns "$h1" ethtool -k "${3:-red}" | tee -a /dev/stderr | grep -qx "[[:space:]]*$1: $2"
}

# cut_by_hca INTERFACE COMMAND...: of what host 1 sends by it meanwhile
cut_by_hca()
{
	local before

	before=$(counter "$h1" tx_segmented "$1") && "${@:2}" &&
		grew "$h1" tx_segmented "$before" "$1"
}

not_cut_by_hca()
{
	local before

	before=$(counter "$h1" tx_segmented "$1") && "${@:2}" &&
		[ "$(counter "$h1" tx_segmented "$1")" = "$before" ]
}

size=$(much 4M)
plan 7
# Whatever HCAs the others have
IBDEVSIM_PROFILE=mlx4
# shellcheck disable=SC2034 # for the subnet manager
partitions+='
	red=0x0001, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'
ib_hosts 2
setup has_child 1
setup has_child 2
setup eventually ping_all "$h1" 10.0.1.2
check "the HCA is left to make checksums" feature tx-checksum-ipv4 on
check "and to cut TCP into segments" feature tcp-segmentation-offload on
check "which arrive" cut_by_hca red transfer "$h1" "$h2" 10.0.1.2 "$size"
setup in_ns "$h1" ethtool -K red tso off
check "not when it is turned off" \
	not_cut_by_hca red transfer "$h1" "$h2" 10.0.1.2 "$size"
check "the parent goes on" cut_by_hca ib0 transfer "$h1" "$h2" 10.0.0.2 "$size"
setup in_ns "$h1" ethtool -K red tx off rx off
check "nor checksums" feature tx-checksum-ipv4 off
check "what the stack does arrives all the same" transfer "$h1" "$h2" 10.0.1.2 "$size"
