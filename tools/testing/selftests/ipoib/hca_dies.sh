#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# The firmware of HCAs dies under traffic: one gives back what was posted to it, as those
# of mlx5 do, the other one does not. Interfaces lose their carrier, and go with their HCA
# or with the module.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

no_carrier()
{
	not is_up "$1"
}

# come KIND N: so many more HCAs like those
come()
{
	echo "$1 $2" > /sys/devices/ibdevsim/new_hca
}

# taken_out N
taken_out()
{
	echo "$1" > /sys/devices/ibdevsim/del_hca
}

has_reason()
{
	status "$rdma1" reason | grep -v none
}

down_and_up()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

gone()
{
	! ip -n "$1" link show ib0
}

# That is said.
expected='QP did not give its packets back|cannot start the link|no QP for channel|no connections: '
plan 8
ib_fabric 1
# The subnet manager's one stays, and so does that of host 3.
setup come mlx5 1
setup come plain 2
rdma1=ibdevsim1 rdma2=ibdevsim2 rdma3=ibdevsim3
setup host 1 2 3
for ns in "$h1" "$h2" "$h3"; do
	setup eventually is_up "$ns"
done
setup connected rc 1 2 3
setup eventually ping_all "$h3" 10.0.0.1 -w 2
setup eventually ping_all "$h3" 10.0.0.2 -w 2
setup flood "$h1" 10.0.0.3
setup flood "$h2" 10.0.0.3
setup flood "$h3" 10.0.0.1
setup ib_knob "$rdma1/dead" 1
setup ib_knob "$rdma2/dead" 1
check "one dies: its interface has no carrier" eventually no_carrier "$h1"
check "nor has that of the other one" eventually no_carrier "$h2"
check "it says why" has_reason
check "an interface is brought down and up" \
	down_and_up
check "others live" is_up "$h3"
check "one is taken out" taken_out 1
check "its interface is gone" eventually gone "$h1"
check "the module can be unloaded with the other one" rmmod ipoib
