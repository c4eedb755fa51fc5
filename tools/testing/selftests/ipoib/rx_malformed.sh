#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever arrives that is no IPoIB packet is dropped and counted by reason,
# and a thousand of each kind do not fill the log.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# counts NAME ARGUMENT...: a thousand such packets raise the counter by as many
counts()
{
	local before

	before=$(counter "$h2" "$1")
	inject -d "$rdma1" -a "$addr2" -n 1000 "${@:2}" &&
		eventually grew "$h2" "$1" $((before + 999))
}

quiet()
{
	[ "$(kernel_log | grep -Ec "ib0|ipoib|$rdma2")" -lt 20 ]
}

plan 8
two_hosts
addr2=$(lladdr "$h2")
received=$(counter "$h2" rx0_packets)
check "empty" counts drop_rx_runt -x ''
check "half a header" counts drop_rx_runt -x 0800
check "EtherType 0x1234" counts drop_rx_unknown_proto -t 0x1234
check "EtherType 0x0600, the smallest" counts drop_rx_unknown_proto -t 0x0600
check "a wrong Q_Key" counts port_qkey_violations -t 0x0800 -k 0x1234
check "none of them got to the stack" \
	[ $(($(counter "$h2" rx0_packets) - received)) -lt 50 ]
check "the log has a few lines at most" quiet
check "good packets still do" ping_all "$h1" 10.0.0.2
