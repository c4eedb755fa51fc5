#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer has one connection by each kind of service ID: its second REQ is refused while
# it has the first, and replaces it when that has been silent for some seconds.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# asks SERVICE QPN
asks()
{
	ask_host 1 "service=$1" "qpn=$2" "transport=$transport" && eventually all_decided
}

# has_one SERVICE QPN: both ends know that it is live: until then there is no DREQ to end
# it, but a REJ
has_one()
{
	asks "$@" && peers_are 1 "qpn=$2" state=live &&
		eventually has_connection 1 "service=$1" state=live
}

# replaced SERVICE QPN: one more is accepted
replaced()
{
	asks "$@" && peers_are 1 "qpn=$2" state=live
}

# told QPN: the first one was
told()
{
	peers_are 1 "qpn=$1" state=vanished came=dreq
}

plan 16
two_hosts
setup connected "rc uc" 1
setup cm_peers
for transport in rc uc; do
	n=1
	for service in rfc linux; do
		setup has_one $service 0x000${n}00
		setup asks $service 0x000${n}00
		check "$transport, $service: a second one is refused" \
			peers_are 1 qpn=0x000${n}00 state=refused reason=10
		check "the first stays" peers_are 1 qpn=0x000${n}00 state=live
		cmpeer vanish
		check "it says nothing more, and is replaced" \
			eventually replaced $service 0x000${n}00
		check "it was told" eventually told 0x000${n}00
		n=$((n + 1))
	done
	setup cmpeer forget
	setup eventually connections_are 1 0
done
