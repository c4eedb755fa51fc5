#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command ipoib says of each reason that a port may have for not carrying the link what it is,
# and what to do about it. What is there to be typed has the names that it needs.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# cable IN: 0 or 1, of host 1. On RoCE it is the other end that goes down, for with its own end
# the address goes, too
cable()
{
	local updown=(down up)

	if on_ib; then
		ib_knob "$rdma1/link" "$1"
	else
		ip link set "$eth2" "${updown[$1]}"
	fi
}

# again [SETTING...]: down, that setting, and up: the port is looked at at once
again()
{
	ip -n "$h1" link set ib0 down &&
		{ [ $# -eq 0 ] || ip -n "$h1" link set ib0 "$@"; } &&
		ip -n "$h1" link set ib0 up
}

# link_local COMMAND [OPTION...]: the address that was the GID of host 1
link_local()
{
	ip -6 addr "$1" "$gid/64" dev "$eth1" "${@:2}"
}

# detection_takes PROBES: of duplicates of an address, a second each
detection_takes()
{
	echo 1 > "/proc/sys/net/ipv6/conf/$eth1/accept_dad" &&
		echo "$1" > "/proc/sys/net/ipv6/conf/$eth1/dad_transmits"
}

# lonely_bond: host 1's interface is all that it has, and it does not look at carriers
lonely_bond()
{
	ip -n "$h1" -batch - <<-END
		link add bond0 type bond mode active-backup miimon 0
		link set ib0 down
		link set ib0 master bond0
		link set bond0 up
	END
}

plan 6
setup for_nobody
setup modules bonding
# Its file in /sys/class/net stays as long as it does.
defer rmmod bonding
if on_ib; then
	ib_fabric 2
	# The subnet manager is on the other port.
	rdma1=$rdma2
else
	setup two_ports
fi
setup host 1
setup eventually is_up "$h1"

setup cable 0
check "no cable: see to it" \
	eventually why 1 "^ib0 has no carrier: port is down\. See .*cable.* rdma link show $rdma1/1$"
setup cable 1
check "with it there is a carrier" eventually why 0 '^ib0 has a carrier'

if on_ib; then
	old=$(lladdr "$h1")
	setup again address "${old%:*:*}:ab:cd"
	check "an address that the port lacks: who can give it that one" \
		eventually why 1 "no GID .*\. Have the subnet manager give $rdma1/1 the GUID"
	setup again address "$old"
	setup ib_knob "$rdma1/fail_query_port" Y
	setup again
	check "the port cannot be queried: see the log" \
		eventually why 1 "port cannot be queried\. See what the driver of $rdma1 says"
	setup ib_knob "$rdma1/fail_query_port" N
else
	gid=$(status "$rdma1" gid)
	setup link_local del
	check "no address: the Ethernet device needs one" \
		eventually why 1 "no GID .*\. Its Ethernet interface .*: rdma link show $rdma1/1$"
	setup detection_takes 10000
	setup link_local add
	check "it may be a duplicate: see whether it is" \
		eventually why 1 'address is tentative .* ip -6 address show dadfailed$'
	setup link_local del
	setup link_local add nodad
fi
check "that is over: a carrier" eventually why 0 '^ib0 has a carrier'

setup lonely_bond
defer ip -n "$h1" link del bond0
setup eventually is_up "$h1"
setup readdress
check "a bond that does not follow: it needs miimon" \
	eventually why 1 'bond still has the address from before\. .*miimon'
