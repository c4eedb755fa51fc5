#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager: an active-backup bond of two ports. The cable of one is pulled under traffic,
# and put in again, and so is that of the other: the host is reached all the time.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# active NAME: the bond sends by that
active()
{
	link_is 2 bond0 "active_slave $1 "
}

# bond_port NAME: of the bond
bond_port()
{
	connection 2 "$1" <<- END
		[connection]
		id=$1
		type=infiniband
		interface-name=$1
		master=bond0
		slave-type=bond

		[infiniband]
		transport-mode=datagram
	END
}

needs NetworkManager nmcli dbus-daemon
plan 8
ports_to_bond
machine 2
connection 2 bond0 <<- END
	[connection]
	id=bond0
	type=bond
	interface-name=bond0

	[bond]
	mode=active-backup
	miimon=50
	primary=ib0

	[ipv4]
	method=manual
	address1=10.0.0.2/24

	[ipv6]
	method=disabled
END
bond_port ib0
bond_port ib1
defer ip -n "$h2" link del bond0
network_manager 2
check "it is activated" eventually activated 2 bond0
check "both ports are its own" eventually link_is 2 ib1 "bond_slave state BACKUP mii_status UP"
check "the first one is active" eventually active ib0
check "the host is reached" reaches 1 10.0.0.2
setup ib_knob "$rdma2/link" 0
check "its cable is pulled: the other one is active" eventually active ib1
check "the host is reached" reaches 1 10.0.0.2
setup ib_knob "$rdma2/link" 1
check "it is put back: the first one is active" eventually active ib0
check "the host is reached" reaches 1 10.0.0.2
