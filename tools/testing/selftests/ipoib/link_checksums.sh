#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles
#
# With link-checksums at both ends of a connection the checksums of TCP and UDP are left to the
# link. Who does not take part gets none such: a host without the flag, one in datagram mode, and
# one to which a packet is forwarded. There the stack looks at each checksum.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# the_stack_sums N: it leaves no checksum to the interface
the_stack_sums()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -k ib0 | grep -q '^[[:space:]]*tx-checksum-ip-generic: off'
}

# unsummed COMMAND...: host 2 gets packets by a connection meanwhile, with no checksum
unsummed()
{
	local before

	before=$(counter "$h2" conn_rx_unsummed) && by_connection 1 "$@" &&
		grew "$h2" conn_rx_unsummed "$before"
}

# summed COMMAND...: by a connection, too, and none is without
summed()
{
	local before

	before=$(counter "$h2" conn_rx_unsummed) && by_connection 1 "$@" &&
		not grew "$h2" conn_rx_unsummed "$before"
}

# agreed: both ends of a connection
agreed()
{
	has_connection 1 state=established link_checksums=yes &&
		has_connection 2 state=established link_checksums=yes
}

# captured WORD: what tcpdump says of some checksum at host 2. Others may be of what GRO has put
# together, for which the stack has made none
captured()
{
	: > "$tmp/captured"
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	background ip netns exec "$h2" sh -c 'exec tcpdump -lvv -i ib0 \
		"src 10.0.0.1 and tcp and greater 1000" > "$0" 2>&1' "$tmp/captured"
	eventually grep -q listening "$tmp/captured" &&
		transfer "$h1" "$h2" 10.0.0.2 "$size" &&
		eventually grep -q " cksum .*($1" "$tmp/captured"
}

all_right()
{
	[ "$(snmp "$h3" TcpInCsumErrors)" = 0 ] && [ "$(counter "$h3" conn_rx_unsummed)" = 0 ]
}

size=$(much 2M)
plan $((18 + $(transports | wc -w)))
three_hosts
setup connected rc 1 2
check "off: the stack makes the checksums" the_stack_sums 1
check "and the peer checks them" summed transfer "$h1" "$h2" 10.0.0.2 "$size"
setup private_flag link-checksums on 1
check "on at one end: the driver makes them" not the_stack_sums 1
check "and the peer checks them" summed transfer "$h1" "$h2" 10.0.0.2 "$size"
setup private_flag link-checksums on 2
check "on at both ends: there are none" unsummed transfer "$h1" "$h2" 10.0.0.2 "$size"
check "as both ends have agreed" agreed
check "and tcpdump sees" captured incorrect
check "nor by IPv6" unsummed transfer "$h1" "$h2" '[fd00::2]' "$size"
check "a host in datagram mode gets them" transfer "$h1" "$h3" 10.0.0.3 "$size"
setup offer "" 3
setup eventually connections_are 3 0
check "and one that takes no connections, in datagrams" \
	by_datagram 1 transfer "$h1" "$h3" 10.0.0.3 "$size"
check "by IPv6, too" by_datagram 1 transfer "$h1" "$h3" '[fd00::3]' "$size"
setup in_ns "$h2" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 \
	net.ipv4.conf.ib0.send_redirects=0
setup ip -n "$h3" address add 10.0.1.3/32 dev lo
setup ip -n "$h2" route add 10.0.1.3 via 10.0.0.3
setup ip -n "$h1" route add 10.0.1.3 via 10.0.0.2
check "and one that a host with the flag forwards to" \
	unsummed transfer "$h1" "$h3" 10.0.1.3 "$size"
check "host 3 got no wrong one, and looked at each" all_right
for transport in $(transports); do
	setup connected "${transport,,}" 1 2
	check "by $transport" unsummed transfer "$h1" "$h2" 10.0.0.2 "$size"
done
setup in_ns "$h1" ethtool -K ib0 tx off
check "the stack can make them all the same" the_stack_sums 1
check "and the peer checks them then" summed transfer "$h1" "$h2" 10.0.0.2 "$size"
setup in_ns "$h1" ethtool -K ib0 tx on
check "again none" unsummed transfer "$h1" "$h2" 10.0.0.2 "$size"
setup private_flag link-checksums off 2
check "off at the other end: they are made" summed transfer "$h1" "$h2" 10.0.0.2 "$size"
setup mode datagram 1
check "in datagram mode the stack makes them" the_stack_sums 1
