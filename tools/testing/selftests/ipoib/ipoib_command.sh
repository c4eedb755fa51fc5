#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# The command ipoib tells anybody what interfaces are and know, why one has no carrier, and
# when that changes; each as text and as JSON.
#
# shellcheck disable=SC2016 # perl expands it

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# json CONDITION ARGUMENT...: the condition, in perl, holds for $j
json()
{
	asked --json "${@:2}" | tee -a /dev/stderr |
		perl -MJSON::PP -e '$j = decode_json(join "", <STDIN>); exit !('"$1"')'
}

# many_peers: more than go into one message. They are nowhere, and were sent a packet each
many_peers()
{
	local i

	for ((i = 0; i < 600; i++)); do
		printf 'neigh add 10.1.%u.%u lladdr 00:00:00:99:fe:80%s:%02x:%02x nud permanent dev ib0\n' \
			$((i / 200)) $((i % 200 + 1)) "$(printf ':00%.0s' {1..12})" $((i / 200)) $((i % 200 + 1))
	done > "$tmp/peers"
	in_ns "$h1" ip -batch "$tmp/peers" && in_ns "$h1" ip route add 10.1.0.0/16 dev ib0 &&
		in_ns "$h1" perl -MSocket -e 'for (0 .. 599) {
			socket S, PF_INET, SOCK_DGRAM, 0 or die $!;
			my $to = "10.1." . int($_ / 200) . "." . (1 + $_ % 200);
			send S, "x", 0, pack_sockaddr_in(9, inet_aton($to)) or die "$to: $!";
		}'
}

# each_once: all of them
each_once()
{
	asked peers ib0 | grep -o '^00:00:00:99:[^ ]*' > "$tmp/peers"
	wc -l < "$tmp/peers"
	[ "$(sort -u "$tmp/peers" | wc -l)" -eq 600 ] && [ "$(wc -l < "$tmp/peers")" -eq 600 ]
}

# counts_as_ethtool: nothing more and nothing less
counts_as_ethtool()
{
	diff <(in_ns "$h1" ethtool -S ib0 | sed -n 's/^ *\(.*\): /\1 /p') <(asked counters ib0)
}

heard()
{
	cat "$tmp/background.log"
	grep -Eq "$1" "$tmp/background.log"
}

plan 24
setup for_nobody
setup bare_fabric 2
setup host 1 2
check "no SM: it says so, and what to do" \
	why 1 '^ib0 has no carrier: no subnet manager .*opensm.*ibstat ibdevsim0 1'
check "as JSON" json '$$j[0]{fault} == 7 && !$$j[0]{lid} && $$j[0]{state} eq "waiting"' show ib0
background ip netns exec "$h1" "$tmp/ipoib" monitor ib0
setup start_sm sm1
check "with one it has a carrier" eventually why 0 '^ib0 has a carrier'
check "who listens was told" eventually heard '^20.*ib0 state up'
setup ip -n "$h1" link set ib0 down
check "down: it says so" why 1 'administratively down.*ip link set ib0 up'
check "who listens was told" eventually heard 'no carrier: interface is administratively down'
setup ip -n "$h1" link set ib0 up
check "up" eventually why 0 '^ib0 has a carrier'
setup eventually is_up "$h2"
setup ip -n "$h1" link add link ib0 name red type ipoib pkey 0x8001
setup ip -n "$h1" link set red up
check "no P_Key: why" \
	eventually tells 'P_Key is not in .*make ibdevsim0/1 a member of partition 0x0001' why red
setup ip -n "$h1" link del red
setup ib_knob drop_sa_dlid "$(($(< "/sys/class/infiniband/$rdma1/ports/1/lid")))"
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 up
check "no SA: why" eventually why 1 'the SA does not answer. .*sminfo'
setup ib_knob drop_sa_dlid 0
check "it answers: a carrier" eventually why 0 '^ib0 has a carrier'

setup eventually ping_each "$h1" 10.0.0.2
check "the peer" tells '^([0-9a-f]{2}:){19}[0-9a-f]{2} state ready dlid [1-9][0-9]* sl 0 rate [1-9][0-9]* mtu [1-9]' peers ib0
check "as JSON" json 'grep { $_->{state} eq "ready" && $_->{dlid} > 0 && $_->{interface} eq "ib0" } @$j' peers ib0
check "the broadcast group" tells '^ff12:401b:ffff::ffff:ffff state joined membership member attached yes' groups ib0
setup connected rc 1 2
check "no connection yet" json '!@$j' conns ib0
setup eventually ping_each "$h1" 10.0.0.2 -s 5000
check "the connection" eventually tells 'state established transport RC service rfc opened_by_us yes' conns ib0
check "as JSON" json '$$j[0]{sent} > 0 && $$j[0]{opened_by_us}' conns ib0
check "the counters, by the names and values of ethtool" eventually counts_as_ethtool
check "as JSON" json '(grep { $_->{name} eq "conn_tx_packets" && $_->{value} > 0 } @$j) == 1' counters ib0
check "all interfaces" json '@$j == 1 && $$j[0]{connections} == 1' show
check "what there is of each kind" \
	json '!grep { !defined $$j[0]{$_} } qw(peers groups connections recoveries)' show
setup many_peers
check "many peers, each once" eventually each_once
check "an interface of others" ends 2 'not an interface of ipoib' peers lo
check "none" ends 2 'no such interface' peers ib7
check "a command that there is not" ends 2 '^usage:' frob ib0
