#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer says that it receives messages of 2004 octets, less than datagrams may have
# here: what goes by its connection is not longer (RFC 4755, 5.1). Others are cut,
# or their sender is told.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# told ADDRESS: of a packet that must not be cut the sender learns what would go
told()
{
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 -s 20000 -M "do" "$1" 2>&1 |
		tee /dev/stderr | grep -qE "mtu ?= ?2000"
}

# comes PACKETS OCTETS OPTION...: so much has come there, after one more ping;
# nobody answers that
comes()
{
	in_ns "$h1" ping -c 1 -W 0.1 "${@:3}"
	eventually peers_are 1 "qpn=$qpn" state=live "received=$1" "bytes=$2"
}

plan 10
two_hosts
setup connected "rc uc" 1
setup cm_peers
n=1
for transport in RC UC; do
	qpn=0x00010$n
	setup cmpeer listen "dev=$rdma2" qpn=$qpn mtu=2004
	# Three addresses of it: what one is told of the route the others are not.
	for address in 10.0.0.7$n 10.0.0.8$n fd00::7$n; do
		setup knows "$h1" "$address" \
			"$(peer_lladdr 2 $qpn ${transport,,})"
	done
	check "$transport: who waited for the connection is told" told 10.0.0.7$n
	check "the smaller of both MTUs counts" has_connection 1 state=live \
		transport=$transport mtu=2000 peer_receives=2004
	check "over IPv6 it is told, too" told fd00::7$n
	check "what fits goes, whole" \
		comes 1 2004 -s 1972 -M "do" 10.0.0.7$n
	# 11 fragments, with 4 and 20 octets of headers each
	check "what may be cut goes, in fragments" \
		comes 12 $((2004 + 20008 + 11 * 24)) -s 20000 -M dont 10.0.0.8$n
	n=$((n + 1))
done
