#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# What an HCA says of the sums of a packet is believed, as far as nobody has turned that off. It
# vouches for few: of the others, fragments, options and protocols that it does not know, it says
# nothing, and the stack looks itself.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# wrong_sums COUNTER: five datagrams with a wrong sum, to a port of host 2 where nobody is,
# come that far in its stack
wrong_sums()
{
	local before

	before=$(snmp "$h2" "$1")
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		socket my $s, AF_INET, SOCK_RAW, 17 or die "socket: $!";
		for (1 .. 5) {
			send $s, pack("n4 a8", 9, 9, 16, 0x1234), 0,
				sockaddr_in(0, inet_aton("10.0.0.2")) or die "send: $!";
		}' || return
	eventually counted "$1" $((before + 5))
}

counted()
{
	local now

	now=$(snmp "$h2" "$1")
	echo "$1: $now, to be $2"
	[ "$now" -eq "$2" ]
}

# says N: of what it receives, host 2's HCA
says()
{
	ib_knob "$rdma2/csum_lies" "$1"
}

truth=0 none_right=1 all_right=2
plan 6
ib_fabric 1
rdma1=ibdevsim1 rdma2=ibdevsim2
setup netns "$h1" "$h2"
echo "mlx5 2" > /sys/devices/ibdevsim/new_hca
setup take_interface 1 2
setup eventually is_up "$h1"
setup eventually ping_all "$h1" 10.0.0.2
setup says $truth
check "a wrong sum is noticed" wrong_sums UdpInCsumErrors
setup says $all_right
check "unless the HCA says that it is right" wrong_sums UdpNoPorts
setup in_ns "$h2" ethtool -K ib0 rx off
check "which nobody asks when that is turned off" wrong_sums UdpInCsumErrors
setup in_ns "$h2" ethtool -K ib0 rx on
check "or on again" wrong_sums UdpNoPorts
setup says $none_right
check "a wrong sum of which it says nothing is noticed" wrong_sums UdpInCsumErrors
check "right ones are right all the same" transfer "$h1" "$h2" 10.0.0.2 100K
