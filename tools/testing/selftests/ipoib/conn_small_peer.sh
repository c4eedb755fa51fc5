#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A peer says that it receives messages of 8004 octets: what goes by its connection is
# not longer (RFC 4755, 5.1). Others are cut, or their sender is told. One that receives
# fewer than a datagram may have is sent datagrams: nobody can make the path narrower
# than those are.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# told MTU ADDRESS: of a packet that must not be cut the sender learns what would go
told()
{
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 -s 20000 -M "do" "$2" 2>&1 |
		tee -a /dev/stderr | grep -qE "mtu ?= ?$1"
}

# comes PACKETS OCTETS OPTION...: so much has come there, after one more ping;
# nobody answers that
comes()
{
	in_ns "$h1" ping -c 1 -W 0.1 "${@:3}"
	eventually peers_are 1 "qpn=$qpn" state=established "received=$1" "bytes=$2"
}

# connects ADDRESS: a first packet only finds the way
connects()
{
	send_udp "$h1" "$1" 9 1 && has_connection 1 state=established "transport=$transport" \
		peer_receives=2004
}

# goes ADDRESS: as long a datagram as there may be is sent, in one piece
goes()
{
	local before

	before=$(counter "$h1" tx_packets)
	in_ns "$h1" ping -c 1 -W 0.1 -s 4064 -M "do" "$1"
	grew "$h1" tx_packets "$before"
}

plan 18
two_hosts
setup connected "rc uc" 1
setup cm_peers
n=1
for transport in RC UC; do
	qpn=0x00010$n
	setup cmpeer listen "dev=$rdma2" qpn=$qpn mtu=8004
	# Three addresses of it: what one is told of the route the others are not.
	for address in 10.0.0.7$n 10.0.0.8$n fd00::7$n; do
		setup knows "$h1" "$address" \
			"$(peer_lladdr 2 $qpn ${transport,,})"
	done
	check "$transport: who waited for the connection is told" told 8000 10.0.0.7$n
	check "the smaller of both MTUs counts" has_connection 1 state=established \
		transport=$transport mtu=8000 peer_receives=8004
	check "over IPv6 it is told, too" told 8000 fd00::7$n
	check "what fits goes, whole" \
		comes 1 8004 -s 7972 -M "do" 10.0.0.7$n
	# 3 fragments, with 4 and 20 octets of headers each
	check "what may be cut goes, in fragments" \
		comes 4 $((8004 + 20008 + 3 * 24)) -s 20000 -M dont 10.0.0.8$n

	qpn=0x00020$n
	setup cmpeer listen "dev=$rdma2" qpn=$qpn mtu=2004
	setup knows "$h1" 10.0.0.9$n "$(peer_lladdr 2 $qpn ${transport,,})"
	setup eventually connects 10.0.0.9$n
	check "it takes less than a datagram: datagrams go, whole" goes 10.0.0.9$n
	check "their MTU is what who sends more is told" told 4092 10.0.0.9$n
	check "nothing has gone by the connection" \
		peers_are 1 qpn=$qpn state=established received=0

	setup cmpeer listen "dev=$rdma2" qpn=0x00030$n mtu=2004
	setup knows "$h1" 10.0.0.6$n "$(peer_lladdr 2 0x00030$n ${transport,,})"
	check "and who waited for it is told the same" told 4092 10.0.0.6$n
	n=$((n + 1))
done
