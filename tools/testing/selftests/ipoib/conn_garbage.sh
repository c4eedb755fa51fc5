#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# A REQ that makes no sense, or asks for what is not offered, is refused with a
# reason and with our own private data, and is counted, and nothing is kept of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused REASON OPTION...
refused()
{
	local status

	ask_host 1 fake=1 "transport=$transport" "${@:2}" &&
		eventually peers_are 1 state=refused "reason=$1" \
			${data:+data=$data}
	status=$?
	cmpeer forget
	return $status
}

# counted MALFORMED KIND REQS: six were malformed, two of a kind that is not taken; and what the CM
# has repeated, since the REJ was late
counted()
{
	local malformed kind reqs

	malformed=$(counter "$h1" conn_refused_malformed) && kind=$(counter "$h1" conn_refused_kind) &&
		reqs=$(cm_messages 1 rx req) || return
	echo "$malformed and $kind of $reqs, were $1 and $2 of $3"
	[ $((malformed - $1)) -ge 6 ] && [ $((kind - $2)) -ge 2 ] &&
		[ $((malformed - $1 + kind - $2)) -le $((reqs - $3)) ]
}

accepted()
{
	ask_host 1 qpn=0x123 "transport=$transport" &&
		eventually peers_are 1 state=established
}

plan 26
two_hosts
setup cm_peers
for transport in rc uc; do
	setup connected $transport 1
	setup eventually is_up "$h1"
	other=$([ $transport = uc ] && echo rc || echo uc)
	data=$(own_data 1)
	malformed=$(counter "$h1" conn_refused_malformed)
	kind=$(counter "$h1" conn_refused_kind)
	reqs=$(cm_messages 1 rx req)
	check "$transport: no private data" refused 28 data=none
	check "one octet" refused 28 data=ff
	check "QPN 0" refused 28 qpn=0
	check "QPN 1" refused 28 qpn=1
	check "the QPN of multicast" refused 28 qpn=0xffffff
	check "a receive MTU that no IP packet fits into" \
		refused 28 qpn=0x123 mtu=71
	check "a transport that is not offered" \
		refused 9 qpn=0x123 "transport=$other"
	check "one that nobody offers" refused 9 qpn=0x123 transport=xrc
	check "each is counted" counted "$malformed" "$kind" "$reqs"
	# The CM itself answers that.
	data=
	check "a service ID of nobody" \
		refused 8 qpn=0x123 service=0x0100000000fffffe
	check "one with other octets set" refused 8 qpn=0x123 \
		service="0x01010000$(printf %08x "$(status "$rdma1" qpn)")"
	check "nothing is kept" connections_are 1 0
	check "what makes sense is accepted" accepted
	cmpeer forget
done
