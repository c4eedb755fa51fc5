#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Mode and kinds of connections change on an interface that is the port of a bond: its link
# address does not, of which the bond and its neighbours have a copy. They send large packets
# by a connection all the time, and learn of no smaller path MTU. So it is after a failover,
# which gives the bond the address of the other port.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# bond: host 1 has its addresses on that
bond()
{
	ip -n "$h1" -batch - <<-END
		link add bond0 type bond mode active-backup miimon 100
		link set ib0 down
		link set ib0 master bond0
		link set bond0 up
		addr add 10.0.0.1/24 brd + dev bond0
	END
}

# is_still: the address that it was made with, here, in the bond and at the neighbour
is_still()
{
	echo "was $address"
	[ "$(lladdr "$h1")" = "$address" ] && [ "$(lladdr "$h1" bond0)" = "$address" ] &&
		ip -n "$h2" neigh show to 10.0.0.1 dev ib0 | grep "lladdr $address "
}

# goes_on: host 2 sends 60000 octets in one piece, and was not told to send less
goes_on()
{
	eventually by_connection 2 300000 large "$h2" 10.0.0.1 &&
		[[ $(ip -n "$h2" route get 10.0.0.1) != *" mtu "* ]]
}

# fails_over TO: to that port
fails_over()
{
	[[ $(ip -n "$h1" -d link show bond0) == *"active_slave $1 "* ]] &&
		[ "$(lladdr "$h1" bond0)" = "$(lladdr "$h1" "$1")" ]
}

on_ib && results=10 || results=7
plan "$results"
setup modules bonding
# Its file in /sys/class/net stays as long as it does.
defer rmmod bonding
if on_ib; then three_hosts; else two_hosts; fi
setup mode connected 2
setup ip -n "$h1" addr flush dev ib0
setup bond
defer ip -n "$h1" link del bond0
setup eventually is_up "$h1" bond0
address=$(lladdr "$h1")
check "datagram mode: packets come by a connection" goes_on
setup mode connected 1
check "connected mode: the address is still the same" is_still
setup ip -n "$h1" link set bond0 mtu 65520
check "packets go by a connection, too" eventually by_connection 1 300000 goes_on
setup in_ns "$h1" ethtool --set-priv-flags ib0 uc off
check "without UC: the address is still the same" is_still
check "packets come by a connection" goes_on
setup mode datagram 1
check "datagram mode again: the address is still the same" is_still
check "packets come by a connection" goes_on
on_ib || exit

# The other port is in datagram mode, and has no larger MTU.
setup ip -n "$h1" link set bond0 mtu 4092
setup ip -n "$h3" link set ib0 netns "$h1" name ib1
setup ip -n "$h1" link set ib1 master bond0
setup eventually is_up "$h1" ib1
setup ip -n "$h1" link set ib0 down
check "failover: the bond has the address of the other port" eventually fails_over ib1
check "packets come by a connection" goes_on
setup ip -n "$h1" link set ib0 up
setup ip -n "$h1" link set ib1 down
check "and back" eventually fails_over ib0
