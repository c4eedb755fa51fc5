#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bonding, active-backup: under traffic the other port becomes the active one, by a command, and as
# the cable of the one is pulled and put back. The host is spoken to all the time.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# bond: of both ports of host 2
bond()
{
	ip -n "$h2" -batch - <<-END
		link add bond0 type bond mode active-backup miimon 50
		link set ib0 master bond0
		link set ib1 master bond0
		link set bond0 up
		addr add 10.0.0.2/24 brd + dev bond0
	END
}

# active NAME: the bond sends by that, from its address
active()
{
	link_is 2 bond0 "active_slave $1 " && [ "$(lladdr "$h2" bond0)" = "$(lladdr "$h2" "$1")" ]
}

# told NAME: the neighbour was
told()
{
	ip -n "$h1" neigh show to 10.0.0.2 dev ib0 | tee -a /dev/stderr |
		grep "lladdr $(lladdr "$h2" "$1") "
}

plan 12
ports_to_bond
setup bond
defer ip -n "$h2" link del bond0
setup eventually active ib0
setup eventually link_is 2 ib1 "bond_slave state BACKUP mii_status UP"
setup eventually ping_all "$h1" 10.0.0.2 -w 2
setup steady "$h1" 10.0.0.2

check "the other port, by a command" ip -n "$h2" link set bond0 type bond active_slave ib1
check "the bond has its address" active ib1
check "the neighbour is told" eventually told ib1
check "traffic goes on" goes_on
setup ib_knob "$rdma3/link" 0
check "its cable is pulled: the first one is active" eventually active ib0
check "the neighbour is told" eventually told ib0
check "traffic goes on" goes_on
setup ib_knob "$rdma3/link" 1
check "the cable is back: so is the port" \
	eventually link_is 2 ib1 "bond_slave state BACKUP mii_status UP"
check "traffic goes on" goes_on
setup ib_knob "$rdma2/link" 0
check "that of the first one: the other is active" eventually active ib1
check "the neighbour is told" eventually told ib1
check "traffic goes on" goes_on
