#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# In datagram mode an interface takes the connections that others ask for, and sends by none:
# only what it sends are datagrams. It asks for none, and has no buffers until there is one.
# So who asks in the name of another gets nothing of what is for that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 4M)

no_buffers()
{
	[ "$(status "$rdma2" conn_buffers_posted)" = 0 ]
}

# theirs_alone TRANSPORT: one connection, by which host 2 has sent nothing
theirs_alone()
{
	has_connections 2 1 && has_connection 2 "transport=$1" opened_by=peer sent=0
}

plan 14
two_hosts
check "both in datagram mode: no connection" by_datagram 2 ping_each "$h2" 10.0.0.1 -s 20000
check "nobody has asked for one" has_no_connection 2
check "and there are no buffers for them" no_buffers
for transport in RC UC; do
	setup connected ${transport,,} 1
	check "$transport: one in connected mode sends by a connection" \
		eventually from_connection 2 300000 large "$h1" 10.0.0.2
	check "TCP, too" from_connection 2 "$size" transfer "$h1" "$h2" 10.0.0.2 "$size"
	check "back go datagrams" by_datagram 2 transfer "$h2" "$h1" 10.0.0.1 "$size"
	check "there is this one connection" theirs_alone $transport
done

setup mode datagram 1
setup eventually connections_are 2 0
check "without connections the buffers are gone" no_buffers
setup cm_peers
setup ask_host 2 "qpn=$(status "$rdma1" qpn)"
setup eventually has_connection 2 state=established
check "what is for host 1 goes there" ping_all "$h2" 10.0.0.1
check "and nothing to who has asked in its name" peers_are 1 state=established received=0
