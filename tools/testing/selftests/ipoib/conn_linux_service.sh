#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that does not know the service ID of RFC 4755 is asked by that of
# Linux next, and by that from the start the next time.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rfc=service=0x0100000000000100 linux=service=0x1000000000000100

# connects: some packets later there is a connection
connects()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 "$linux" asked_by=other state=live
}

rfc_first()
{
	[[ $(peers asked_by=other | head -n 1) == *" $rfc "* ]]
}

# received: something has come by the connection
received()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 "$linux" state=live &&
		peers_are 0 "$linux" state=live received=0
}

plan 6
two_hosts
setup connected "rc uc" 1
setup cm_peers
# What nobody listens to would be refused just so, and leave no trace.
setup cmpeer listen "dev=$rdma2" qpn=0x100 service=rfc answer=rej:8
setup cmpeer listen "dev=$rdma2" qpn=0x100 service=linux
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
check "there is a connection" eventually connects
check "by Linux's service ID" eventually has_connection 1 opened_by=us \
	service=linux state=live
check "the RFC's was tried first" rfc_first
check "packets go by it" eventually received
cmpeer close
setup eventually peers_are 1 "$linux" state=closed
check "closed, it is made again" eventually connects
check "the RFC's was not tried again" peers_are 1 "$rfc" asked_by=other
