#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever arrives that is no IPoIB packet is dropped and counted by reason,
# and a thousand of each kind do not fill the log.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# thousand NAME ARGUMENT...: such packets, and the counter says so. Fewer at a time than host 2
# has buffers for, which may not have its turn meanwhile
thousand()
{
	local before i

	before=$(counter "$h2" "$1")
	for ((i = 200; i <= 1000; i += 200)); do
		inject -d "$rdma1" -a "$addr2" -n 200 "${@:2}" &&
			eventually grew "$h2" "$1" $((before + i - 1)) || return
	done
	not grew "$h2" "$1" $((before + 1000))
}

# dropped REASON ARGUMENT...: for that one, each of a thousand
dropped()
{
	drops_only 2 1000 "$1" thousand "drop_$1" "${@:2}"
}

quiet()
{
	kernel_log > "$tmp/log" && [ "$(grep -Ec "ib0|ipoib|$rdma2" "$tmp/log")" -lt 20 ]
}

# ipv4_gid: the index of that of 10.77.0.1 as one of RoCE v2; it is in the table as one of v1,
# too
ipv4_gid()
{
	local port=/sys/class/infiniband/$rdma1/ports/1 file

	while read -r file; do
		[ "$(< "$port/gid_attrs/types/${file##*/}")" != "RoCE v2" ] || echo "${file##*/}"
	done < <(grep -lx 0000:0000:0000:0000:0000:ffff:0a4d:0001 "$port/gids/"*) | grep .
}

# ipv4_apart: what this host sends to the address of the one device leaves by the other, where
# it would stay inside otherwise
ipv4_apart()
{
	local mac

	mac=$(< "/sys/class/net/$eth2/address")
	ip addr add 10.77.0.1/24 dev "$eth1" && ip addr add 10.77.0.2/24 dev "$eth2" &&
		ip rule add pref 10 lookup local && defer ip rule del pref 10 &&
		ip rule add pref 5 iif lo to 10.77.0.2 lookup 77 && defer ip rule del pref 5 &&
		ip rule del pref 0 && defer ip rule add pref 0 lookup local &&
		ip route add 10.77.0.2 dev "$eth1" table 77 &&
		ip neigh add 10.77.0.2 lladdr "$mac" dev "$eth1" nud permanent &&
		echo 1 > "/proc/sys/net/ipv4/conf/$eth2/accept_local" &&
		eventually ipv4_gid
}

on_ib && results=8 || results=9
plan "$results"
two_hosts
setup quiet_hosts 1 2
addr2=$(lladdr "$h2")
received=$(counter "$h2" rx0_packets)
check "empty" dropped rx_runt -x ''
check "half a header" dropped rx_runt -x 0800
check "EtherType 0x1234" dropped rx_unknown_proto -t 0x1234
check "EtherType 0x0600, the smallest" dropped rx_unknown_proto -t 0x0600
check "a wrong Q_Key" thousand port_qkey_violations -t 0x0800 -k 0x1234
check "none of them got to the stack" not grew "$h2" rx0_packets "$received"
on_ib || {
	setup ipv4_apart
	addr2=${addr2::11}:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02
	check "from an IPv4 GID" dropped rx_no_grh -t 0x0800 -i "$(ipv4_gid)"
}
check "the log has a few lines at most" quiet
check "good packets still do" ping_all "$h1" 10.0.0.2
