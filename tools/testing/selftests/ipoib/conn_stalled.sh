#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two peers take nothing that is sent by their connections. What is more than the
# ring of one holds is dropped, and counted, and others do not wait for it. Both are
# given up some time, also that of which the ring is not full.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# connects ADDRESS QPN: the first packets go as datagrams
connects()
{
	send_udp "$h1" "$1" 9 1 && peers_are 1 "qpn=$2" state=live
}

# stalls: 50 packets are more than a ring holds
stalls()
{
	send_udp "$h1" 10.0.0.77 9 50 && grew "$h1" drop_tx_stalled 0
}

# given_up: by a host that goes on sending
given_up()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 qpn=0x000100 state=ended came=dreq received=0
}

plan 7
two_hosts
setup connected "rc uc" 1 2
setup cm_peers
# They tell each packet to come again later, for ever.
setup cmpeer listen "dev=$rdma2" qpn=0x100 recv=0
setup cmpeer listen "dev=$rdma2" qpn=0x200 recv=0
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
setup knows "$h1" 10.0.0.78 "$(peer_lladdr 2 0x200)"
setup eventually connects 10.0.0.77 0x000100
setup eventually connects 10.0.0.78 0x000200
setup send_udp "$h1" 10.0.0.78 9 3
check "a ring is full: packets are dropped" eventually stalls
check "they have taken none" peers_are 2 asked_by=other state=live received=0
check "others go on" large "$h1" 10.0.0.2
check "by a connection" has_connection 1 state=live \
	"$(lladdr "$h2" | cut -c 4-)"
check "that one is given up" eventually given_up
check "and asked for anew" eventually connects 10.0.0.77 0x000100
check "the other is given up, too" eventually peers_are 1 qpn=0x000200 \
	state=ended came=dreq received=0
