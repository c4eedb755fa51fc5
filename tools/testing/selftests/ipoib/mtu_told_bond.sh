#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Datagram mode, on a bond with a larger MTU than the link has: who sends packets that
# are too long for the link is told so, but whatever is sent not more than 200 times in a
# second.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# bond: host 1 has its addresses on that
bond()
{
	ip -n "$h1" -batch - <<-END
		link add bond0 type bond mode active-backup miimon 100
		link set ib0 down
		link set ib0 master bond0
		link set bond0 up mtu 4092
		addr add 10.0.0.1/24 brd + dev bond0
		addr add fd00::1/64 dev bond0
	END
}

# told ADDRESS: host 1 is, by ICMP
told()
{
	in_ns "$h1" ping -c 3 -i 0.3 -W 20 -s 3000 -M "do" "$1" 2>&1 | tee -a /dev/stderr |
		grep -E "^From .*(Frag needed|Packet too big).*mtu ?= ?2044"
}

# heeds_nothing: IP_MTU_DISCOVER, 10, is IP_PMTUDISC_PROBE, 3
heeds_nothing()
{
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		socket my $s, AF_INET, SOCK_DGRAM, 0 or die "socket: $!";
		setsockopt $s, 0, 10, 3 or die "setsockopt: $!";
		my $to = sockaddr_in(9, inet_aton("10.0.0.2"));
		send $s, "\0" x 3000, 0, $to for 1 .. 20000;'
}

# bounded: who does not heed what it is told, is told it so many times
bounded()
{
	local before began=$EPOCHSECONDS n most

	before=$(snmp "$h1" IcmpOutDestUnreachs)
	heeds_nothing || return
	n=$(($(snmp "$h1" IcmpOutDestUnreachs) - before))
	most=$((64 + 200 * (EPOCHSECONDS - began + 1)))
	echo "told $n times, and $most were allowed"
	[ $n -gt 0 ] && [ $n -le $most ]
}

plan 4
setup modules bonding
# Its file in /sys/class/net stays as long as it does.
defer rmmod bonding
partitions=${partitions/mtu=5/mtu=4} mtu=2200
two_hosts
setup ip -n "$h1" addr flush dev ib0
setup bond
defer ip -n "$h1" link del bond0
setup eventually is_up "$h1" bond0
setup eventually answers "$h1" 10.0.0.2
setup eventually answers "$h1" fd00::2
check "the sender is told" told 10.0.0.2
check "IPv6: the sender is told" told fd00::2
check "and cuts it" ping_all "$h1" fd00::2 -s 3000
check "there is a bound on how often" bounded
