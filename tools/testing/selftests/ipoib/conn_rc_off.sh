#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# With RC off, connections over RC that are asked for by the service ID of ib_ipoib are taken
# all the same, for that knows nothing else; but not from who says that it takes UC, as ours
# does. Ours asks for UC by the service ID of the RFC then.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

qpn=100

# asks SERVICE FLAGS: a node of which host 1 knows that address asks for RC, and is answered
asks()
{
	local addr

	qpn=$((qpn + 1))
	addr=$(peer_lladdr 2 $qpn) && knows "$h1" "10.0.0.$qpn" "$2${addr:2}" &&
		send_udp "$h1" "10.0.0.$qpn" 9 1 &&
		ask_host 1 qpn=$qpn service="$1" && eventually all_decided
}

# is WORD...: what became of it
is()
{
	peers_are 1 asked_by=us "qpn=$(printf 0x%06x $qpn)" "$@"
}

# asked: what host 1 has asked for, in that order, and by which service IDs
asked()
{
	send_udp "$h1" 10.0.0.77 9 1
	peers asked_by=other | tee -a /dev/stderr |
		sed -E 's/.*service=0x(..)[^ ]* transport=([^ ]*).*/\2 \1/' | head -n 3 | tr '\n' ' ' |
		grep -x "RC 01 RC 10 UC 01 "
}

plan 5
two_hosts
setup cm_peers
setup offer uc 1
setup asks linux 80
check "taken from ib_ipoib" eventually is state=established
setup asks linux c0
check "not from who takes UC" is state=refused reason=9
setup asks linux 40
check "nor from who takes no RC" is state=refused reason=9
setup asks rfc 80
check "nor by the service ID of the RFC" is state=refused reason=9
setup cmpeer forget

setup offer "rc uc" 1
setup mode connected 1
setup cmpeer listen "dev=$rdma2" qpn=0x200 service=rfc answer=rej:8
setup cmpeer listen "dev=$rdma2" qpn=0x200 service=linux answer=rej:9
addr=$(peer_lladdr 2 0x200)
setup knows "$h1" 10.0.0.77 "c0${addr:2}"
check "refused RC by the one, UC is asked for by the other" eventually asked
