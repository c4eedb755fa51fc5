#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ifupdown with ifenslave: an active-backup bond of two ports, of which one loses its cable.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# active NAME: the bond sends by that
active()
{
	link_is 2 bond0 "active_slave $1 "
}

needs ifup /etc/network/if-pre-up.d/ifenslave
plan 9
ports_to_bond
machine 2
config 2 /etc/network/interfaces <<- END
	auto bond0
	iface bond0 inet static
		address 10.0.0.2/24
		bond-slaves ib0 ib1
		bond-mode active-backup
		bond-miimon 50
		bond-primary ib0
END
defer ip -n "$h2" link del bond0
check "ifup has no complaint" on 2 ifup -a
check "both ports are the bond's" eventually link_is 2 ib1 "bond_slave state BACKUP mii_status UP"
check "the first one is active" eventually active ib0
check "the host is reached" reaches 1 10.0.0.2
setup ib_knob "$rdma2/link" 0
check "its cable is pulled: the other one is active" eventually active ib1
check "the host is reached" reaches 1 10.0.0.2
check "ifdown has no complaint" on 2 ifdown -a
check "there is no bond" not link_is 2 bond0 .
check "the ports are nobody's" not link_is 2 ib0 bond_slave
