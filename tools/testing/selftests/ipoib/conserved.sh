#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No packet goes uncounted: what the stack gave the driver was sent or is counted as
# dropped, by its reason, and what one host has sent the other has received. Whether they
# go as datagrams, by connections, or wait for either; or the link goes down.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# both_ways: fewer than there are receive buffers, for a busy machine may poll later than all come
both_ways()
{
	send_udp "$h1" 10.0.0.2 9 200 && send_udp "$h2" 10.0.0.1 9 200
}

# to_nobody: the address is of a port that there is not, and that takes a while to be known
to_nobody()
{
	local sm

	knows "$h1" 10.0.0.77 00:00:12:34:fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:77 || return
	! on_ib || {
		sm=$(($(< "/sys/class/infiniband/$rdma1/ports/1/sm_lid"))) &&
			ib_knob drop_sa_dlid $sm
	}
	send_udp "$h1" 10.0.0.77 9 300 && send_udp "$h1" 10.0.0.2 9 50
	! on_ib || ib_knob drop_sa_dlid 0
}

# in_vain: as many wait for the way as may, and are dropped in the end like the others
in_vain()
{
	local full path

	full=$(counter "$h1" drop_tx_queue_full) path=$(counter "$h1" drop_tx_no_path)
	conserved to_nobody || return
	full=$(($(counter "$h1" drop_tx_queue_full) - full))
	path=$(($(counter "$h1" drop_tx_no_path) - path))
	echo "$full found no room to wait, $path no way"
	[ $full -gt 0 ] && [ $path -gt 0 ] && [ $((full + path)) -eq 300 ]
}

# to_many_nobodies: sixty ports that there are not, less than may wait for each
to_many_nobodies()
{
	local i sm

	sm=$(($(< "/sys/class/infiniband/$rdma1/ports/1/sm_lid")))
	for ((i = 100; i < 160; i++)); do
		echo "neigh replace 10.0.0.$i nud permanent dev ib0 lladdr" \
			"00:00:12:34:fe:80:00:00:00:00:00:00:00:00:00:00:00:00:10:${i:1}"
	done | ip -n "$h1" -batch - && ib_knob drop_sa_dlid $sm || return
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		for my $i (100 .. 159) {
			socket my $s, PF_INET, SOCK_DGRAM, 0 or die $!;
			setsockopt $s, SOL_SOCKET, SO_SNDBUF, 1 << 20;
			send $s, "", 0, sockaddr_in(9, inet_aton "10.0.0.$i") for 1 .. 100;
		}' || return
	staged=$(awk '{ sub(".*staged=", ""); n += $1 } END { print n }' "$debug/$rdma1.1.ffff/peers")
	ib_knob drop_sa_dlid 0
}

# all_bounded: 4 MiB wait together, unless some were told already that there is no way
all_bounded()
{
	drops 1 some tx_queue_full to_many_nobodies || return
	echo "$staged octets have waited"
	[ "$staged" -le $((4 << 20)) ] && [ "$staged" -gt $((2 << 20)) ]
}

# to_no_address: this one can be nobody's, for it has no GID
to_no_address()
{
	knows "$h1" 10.0.0.76 00:00:12:34:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00 &&
		send_udp "$h1" 10.0.0.76 9 5
}

# no_route: of the packets on the ring one fails, and those behind it come back
no_route()
{
	ip -6 route del fe80::/64 dev "$eth1" && send_udp "$h1" 10.0.0.2 9 20 &&
		ip -6 route add fe80::/64 dev "$eth1"
}

# down_in_flood: the link of host 1 goes, and comes back
down_in_flood()
{
	local job before

	before=$(counter "$h1" tx_packets)
	flood "$h1" 10.0.0.2
	eventually grew "$h1" tx_packets $((before + 100)) &&
		ip -n "$h1" link set ib0 down && end_job "$job" &&
		ip -n "$h1" link set ib0 up && eventually is_up "$h1"
}

# connects OPTION...: host 1, to a peer on the port of host 2
connects()
{
	cmpeer listen "dev=$rdma2" qpn=0x100 "$@" &&
		knows "$h1" 10.0.0.78 "$(peer_lladdr 2 0x100)" &&
		eventually asks_or_has
}

asks_or_has()
{
	send_udp "$h1" 10.0.0.78 9 1 && has_connection 1 transport=RC
}

gives_up()
{
	mode datagram 1 && cmpeer forget && eventually nothing_of conn && mode connected 1
}

# never_answered: three packets that are too long for datagrams wait for a connection
never_answered()
{
	connects answer=silent && head -c 60000 /dev/zero > "$tmp/long" &&
		in_ns "$h1" socat -u -b 20000 "OPEN:$tmp/long" UDP4-SENDTO:10.0.0.78:9 &&
		gives_up
}

is_live()
{
	send_udp "$h1" 10.0.0.78 9 1 && has_connection 1 state=established
}

# never_taken: a ring of 32, 512 that wait for room, and no buffer for any of them
never_taken()
{
	connects recv=0 && eventually is_live && send_udp "$h1" 10.0.0.78 9 700 && gives_up
}

plan 11
two_hosts
setup quiet_hosts 1 2
setup ip -n "$h1" route add 224.0.0.0/4 dev ib0
check "datagrams" conserved both_ways
check "datagrams to nobody: as many wait as may" in_vain
check "an address that is nobody's" drops 1 5 tx_no_peer to_no_address
check "no EtherType of IPoIB" drops 1 5 tx_unknown_proto \
	send_frames "$h1" "$h2" 1234 100
if on_ib; then
	check "all that wait are bounded, too" all_bounded
	check "a group that nobody has joined" drops 1 20 tx_no_member \
		send_udp "$h1" 239.1.2.3 9 20
else
	check "a queue pair that fails" drops 1 some tx_flushed no_route
	setup eventually answers "$h1" 10.0.0.2
	check "a group, which who has sent it hears, too" \
		drops_only 1 20 rx_own conserved send_udp "$h1" 224.0.0.1 9 20
fi
check "a link that goes down" accounted 1 down_in_flood

setup connected rc 1 2
setup quiet_hosts 1 2
setup eventually by_connection 1 answers "$h1" 10.0.0.2
check "packets by a connection" conserved by_connection 1 5000 both_ways
check "ARP that is too long for a datagram" drops 1 5 tx_too_long \
	send_frames "$h1" "$h2" 0806 9000
setup mode datagram 2
setup cm_peers
check "a connection that does not come" drops 1 3 tx_down never_answered
check "one by which nothing goes" drops 1 some tx_stalled never_taken
