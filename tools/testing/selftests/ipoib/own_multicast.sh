#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: profiles
#
# A port hears what it sends to its own groups, unless the HCA can be told not to send
# it back. The interface keeps that from the stack: whatever comes with its own GID and
# queue pair as the source.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

# come_back: soft-RoCE can do nothing about it, nor some of the HCAs; ibdevsim can
come_back()
{
	case $FABRIC:${IBDEVSIM_PROFILE-} in
	roce:*|ib:mthca|ib:qib|ib:hfi1|ib:irdma)
		eventually grew "$h1" drop_rx_own $((own + 99)) &&
			not grew "$h1" drop_rx_own $((own + 100))
		;;
	*)
		eventually grew "$h2" rx0_packets $((heard + 99)) &&
			not grew "$h1" drop_rx_own "$own"
		;;
	esac
}

plan 4
two_hosts
setup quiet_hosts 1 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
background ip netns exec "$h1" socat -u \
	"UDP4-RECV:5000,ip-add-membership=$group:ib0" /dev/null
must "the sender is a member of the group" \
	eventually is_member "$rdma1" $mgid

background ip netns exec "$h2" socat -u \
	"UDP4-RECV:5000,ip-add-membership=$group:ib0" /dev/null
setup eventually is_member "$rdma2" $mgid

own=$(counter "$h1" drop_rx_own)
received=$(counter "$h1" rx0_packets)
heard=$(counter "$h2" rx0_packets)
send_udp "$h1" $group 5000 100
check "its own packets are dropped, or do not come back" come_back
check "and not received" not grew "$h1" rx0_packets "$received"

# The same GID, but another queue pair; such an EtherType cannot be mistaken.
unknown=$(counter "$h1" drop_rx_unknown_proto)
setup inject -d "$rdma1" -n 100 -t 0x1234 \
	-a 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
check "those of another queue pair on the port are let in" \
	eventually grew "$h1" drop_rx_unknown_proto $((unknown + 99))
