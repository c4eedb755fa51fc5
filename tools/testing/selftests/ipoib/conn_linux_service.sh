#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no shared receive queues
#
# A peer that does not know the service ID of RFC 4755 is asked by that of
# Linux next, and by that from the start the next time; until it does not know that
# any more, as one that got another driver.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rfc=service=0x0100000000000100 linux=service=0x1000000000000100

# connects SERVICE: some packets later there is a connection
connects()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 "$1" asked_by=other state=established
}

rfc_first()
{
	[[ $(peers asked_by=other | head -n 1) == *" $rfc "* ]]
}

# received: something has come by the connection
received()
{
	send_udp "$h1" 10.0.0.77 9 1 &&
		peers_are 1 "$linux" state=established &&
		peers_are 0 "$linux" state=established received=0
}

plan 9
two_hosts
setup connected "rc uc" 1
setup cm_peers
# What nobody listens to would be refused just so, and leave no trace.
setup cmpeer listen "dev=$rdma2" qpn=0x100 service=rfc answer=rej:8
setup cmpeer listen "dev=$rdma2" qpn=0x100 service=linux
setup knows "$h1" 10.0.0.77 "$(peer_lladdr 2 0x100)"
check "there is a connection" eventually connects "$linux"
check "by Linux's service ID" eventually has_connection 1 opened_by=us \
	service=linux state=established
check "the RFC's was tried first" rfc_first
check "packets go by it" eventually received
# As somebody else on its port would
setup ask_host 1 qpn=0x100
check "who asks in its name by the RFC's is refused" eventually peers_are 1 \
	asked_by=us state=refused reason=8 "data=$(own_data 1)"
cmpeer close
setup eventually peers_are 1 "$linux" state=closed
check "closed, it is made again" eventually connects "$linux"
check "the RFC's was not tried again" peers_are 1 "$rfc" asked_by=other
setup cmpeer forget
setup cmpeer listen "dev=$rdma2" qpn=0x100 service=rfc
check "it knows the RFC's, and Linux's no more" eventually connects "$rfc"
check "it is asked by that" eventually has_connection 1 opened_by=us \
	service=rfc state=established
