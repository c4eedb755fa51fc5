#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The link address of a bond's port changes: the bond takes the new one, as at a failover, and
# neighbours reach it by that. A bond without another port does so by having no carrier for a
# moment, if it looks at that of its port; otherwise the port does not wait for ever.

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

# follows: the port has another address, and so has the bond
follows()
{
	local port

	port=$(lladdr "$h1")
	echo "port: $port, was $old"
	echo "bond: $(lladdr "$h1" bond0)"
	[ "$port" != "$old" ] && [ "$(lladdr "$h1" bond0)" = "$port" ] && is_up "$h1" bond0
}

# set_bond OPTION VALUE
set_bond()
{
	ip -n "$h1" link set bond0 type bond "$@"
}

# is_another: the port has another address than it had
is_another()
{
	[ "$(lladdr "$h1")" != "$old" ]
}

# waits: it has, and no carrier, for the bond has not noticed yet
waits()
{
	is_another && [ "$(lladdr "$h1" bond0)" = "$old" ] && ! has_carrier "$h1"
}

# gives_up: it has a carrier again, and the bond has the address from before
gives_up()
{
	is_another && [ "$(lladdr "$h1" bond0)" = "$old" ] && is_up "$h1"
}

said()
{
	kernel_log | grep -c "ib0: bond0 keeps the address from before" | grep -qx 1
}

plan 6
setup modules bonding
# Its file in /sys/class/net stays as long as it does.
defer rmmod bonding
two_hosts
setup ip -n "$h1" addr flush dev ib0
setup bond
defer ip -n "$h1" link del bond0
setup eventually is_up "$h1" bond0
setup eventually ping_all "$h2" 10.0.0.1 -w 2
old=$(lladdr "$h1")
setup readdress
check "another address: the bond has it, too" eventually follows
check "and is reached" eventually ping_all "$h2" 10.0.0.1 -w 2

old=$(lladdr "$h1")
if on_ib; then
	setup kill_sm sm1
	# shellcheck disable=SC2034 # for the subnet manager
	subnet_prefix=0xfe80000000000077
	setup start_sm sm1
else
	# Two changes, of which the bond notices the first only after the second.
	setup set_bond downdelay 2000
	setup readdress
	setup eventually waits
	setup readdress
fi
check "and another one: the bond has it, too" eventually follows
check "and is reached" eventually ping_all "$h2" 10.0.0.1 -w 2

setup set_bond downdelay 0
setup set_bond miimon 0
old=$(lladdr "$h1")
setup readdress
check "a bond that looks at no carrier: the port has one some time" eventually gives_up
check "which is said, once" eventually said
