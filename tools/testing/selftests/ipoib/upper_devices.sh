#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: stock
#
# What stands on an interface: a bond of which it is a slave carries IP, in the one mode in which
# bonds take it. What wants Ethernet below refuses it: VLANs, macvlans and bridges.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused ARGUMENT...: ip link add
refused()
{
	not ip -n "$h1" link add link ib0 name upper "$@" && not ip -n "$h1" link show upper
}

# bond_refuses MODE...: in each of these
bond_refuses()
{
	local mode

	for mode; do
		ip -n "$h1" link add other type bond mode "$mode" || return
		not ip -n "$h1" link set ib0 master other || return
		ip -n "$h1" link del other
	done
}

# bond: host 1 has its addresses on that
bond()
{
	ip -n "$h1" -batch - <<-END
		link add bond0 type bond mode active-backup miimon 100
		link set ib0 master bond0
		link set bond0 up
		addr add 10.0.0.1/24 brd + dev bond0
		addr add fd00::1/64 dev bond0
	END
}

plan 8
setup modules 8021q macvlan bridge bonding
# Its file in /sys/class/net stays as long as it does.
defer rmmod bonding
two_hosts
check "a VLAN" refused type vlan id 5
check "a macvlan" refused type macvlan
setup ip -n "$h1" link add br0 type bridge
check "a bridge" not ip -n "$h1" link set ib0 master br0
setup ip -n "$h1" addr flush dev ib0
setup ip -n "$h1" link set ib0 down
check "a bond of any mode but active-backup" \
	bond_refuses balance-{rr,xor,tlb,alb} broadcast 802.3ad
setup bond
defer ip -n "$h1" link del bond0
setup eventually is_up "$h1" bond0
check "a bond: IPv4" eventually ping_all "$h2" 10.0.0.1 -w 2
check "IPv6" eventually ping_all "$h1" fd00::2 -w 2
check "its address is that of the slave" [ "$(lladdr "$h1" bond0)" = "$(lladdr "$h1")" ]
check "which it takes over by itself" \
	grep -q "fail_over_mac active" <<< "$(ip -n "$h1" -d link show bond0)"
