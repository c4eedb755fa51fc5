#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Two ports of a host in one subnet of IP, set up as ipoib-tools.rst says: neighbours hear of each
# address with the link address of its own port only, whoever asks; what is from an address leaves
# by its port, so that the cable of the other one does not matter.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# second_port: port 3 is ib1 of host 2, with the addresses that host 3 would have
second_port()
{
	ip -n "$h3" link set ib0 netns "$h2" name ib1 &&
		ip -n "$h2" -batch - <<-END
			link set ib1 up
			addr add 10.0.0.3/24 brd + dev ib1
			addr add fd00::3/64 dev ib1
		END
}

# arp_by_port: what the stack says of addresses depends on the port
arp_by_port()
{
	in_ns "$h2" sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2
}

# routes_by_address: a table for what is from each
routes_by_address()
{
	ip -n "$h2" -batch - <<-END
		route add 10.0.0.0/24 dev ib0 table 102
		rule add from 10.0.0.2 table 102
		route add 10.0.0.0/24 dev ib1 table 103
		rule add from 10.0.0.3 table 103
	END
}

# asked_for PREFIX: each address by host 1. What a port has answered a question for the other
# one's address with is on the wire before what it answers the pings after that with
asked_for()
{
	ping_all "$h1" "${1}2" && ping_all "$h1" "${1}3" && ping_all "$h1" "${1}2"
}

# asks: host 2 does, in the name of each address
asks()
{
	local address

	for address in 10.0.0.2 10.0.0.3; do
		forget_neighbours "$h2" all
		ping_all "$h2" 10.0.0.1 -I $address || return
	done
}

# said PREFIX FILTER FIELD...: address and link address in what host 2 has sent. Of an option of
# neighbour discovery tshark shows the padding, too
said()
{
	decode "$2 && !($3 == ${1}1)" "${@:3}" | tr -d : | sed 's/\t0000/\t/' | sort -u
}

# own PREFIX: what it is to say
own()
{
	printf '%s2\t%s\n%s3\t%s\n' "$1" "$(lladdr "$h2")" "$1" "$(lladdr "$h2" ib1)" | tr -d :
}

# answered_with_own PREFIX FILTER FIELD...: this and nothing else, of both addresses
answered_with_own()
{
	diff <(own "$1") <(said "$@")
}

# asked_with_own: by nothing else
asked_with_own()
{
	said 10.0.0. 'arp.opcode == 1' arp.src.proto_ipv4 arp.src.hw > "$tmp/asked"
	cat "$tmp/asked"
	[ -s "$tmp/asked" ] && ! grep -vxF "$(own 10.0.0.)" "$tmp/asked"
}

plan 6
ib_hosts 3
setup second_port
setup eventually is_up "$h2" ib1
pkey=ffff setup eventually forwards_broadcast "$rdma1" "$rdma2" "$rdma3"
setup arp_by_port
setup capture
setup asked_for 10.0.0.
setup asked_for fd00::
setup asks
end_capture
check "ARP: each address is answered with its own port" answered_with_own 10.0.0. \
	'arp.opcode == 2' arp.src.proto_ipv4 arp.src.hw
check "neighbour discovery: so is each" answered_with_own fd00:: \
	'icmpv6.type == 136' icmpv6.nd.na.target_address icmpv6.opt.linkaddr
check "the host asks in the name of the port that asks" asked_with_own

setup routes_by_address
setup in_ns "$h2" sysctl -w net.ipv4.conf.all.rp_filter=1
check "routes by address: strict rp_filter lets both in" asked_for 10.0.0.
setup ib_knob "$rdma2/link" 0
setup eventually not is_up "$h2"
check "the cable of one is pulled: the address of the other is reached" \
	ping_all "$h1" 10.0.0.3
setup ib_knob "$rdma2/link" 1
check "it is put back: so is its own" eventually ping_all "$h1" 10.0.0.2 -w 2
