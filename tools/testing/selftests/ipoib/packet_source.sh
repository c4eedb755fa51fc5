#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A packet socket is told by whose port a packet was sent, in eight octets, for the kernel has
# buffers that have room for no more. A datagram that has no GRH, which InfiniBand sends to one
# node of the subnet, does not say.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# listen: prints of each packet at ib0 of host 1 its type, and the address of its sender
listen()
{
	# shellcheck disable=SC2016 # perl's
	background ip netns exec "$h1" perl -e '
		$| = 1;
		socket($s, 17, 2, 0x300) or die "socket: $!";
		bind($s, pack("SnlSCCa8", 17, 3, $ARGV[0], 0, 0, 0, "")) or die "bind: $!";
		print "listening\n";
		while (defined($from = recv($s, $_, 65535, 0))) {
			($family, $proto, $if, $hatype, $type, $len, $addr) =
				unpack("SnlSCCa*", $from);
			print "type=$type source=",
				unpack("H*", substr($addr, 0, $len)), "\n";
		}' "$(in_sysfs "$h1" cat /sys/class/net/ib0/ifindex)"
	eventually grep -q listening "$tmp/background.log"
}

# comes TYPE SOURCE: something of that type did, from there
comes()
{
	in_ns "$h2" ping -q -c 1 -W 0.2 -s "${size:-56}" "${to[@]}" > /dev/null
	grep -x "type=$1 source=$2" "$tmp/background.log"
}

# guid NS: of its port, the end of its link address
guid()
{
	local addr

	addr=$(lladdr "$1")
	addr=${addr//:/}
	echo "${addr:24}"
}

plan 4
two_hosts
them=$(guid "$h2")
direct=$them
! on_ib || direct=
setup listen
to=(-b 10.0.0.255)
check "a broadcast" eventually comes 1 "$them"
to=(10.0.0.1)
check "a datagram" eventually comes 0 "$direct"
check "what the host sends is its own" eventually comes 4 "$(guid "$h1")"
setup mode connected 1 2
size=60000
setup eventually by_connection 2 answers "$h2" 10.0.0.1
: > "$tmp/background.log"
check "a packet of a connection" eventually comes 0 "$them"
