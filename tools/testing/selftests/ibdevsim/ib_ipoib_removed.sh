#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The fabric is unloaded under traffic, whether or not a subnet manager is there to
# hear of it, and takes less than two minutes for it: as long as the core waits for
# answers that nobody gives.
. "$(dirname "$0")/lib.sh"

# As many as get through would leave the test itself no CPU.
flood()
{
	nsenter --net="/run/netns/h$1" ping -q -i 0.002 -s 2000 "$2" \
		> "$tmp/flood" 2>&1 < /dev/null &
	flood=$!
}

flows()
{
	local before

	before=$(sed -n 's/^rcv_packets //p' $debugfs/ibdevsim0/counters)
	sleep 0.1
	[ "$(sed -n 's/^rcv_packets //p' $debugfs/ibdevsim0/counters)" -gt "$before" ]
}

removed()
{
	timeout $((patience * 3 / 1000)) rmmod ibdevsim
}

no_interface()
{
	not on 1 ip link show ib0 && not on 2 ip link show ib0
}

stop_flood()
{
	kill $flood
	wait $flood
	no_hosts
}

plan 5
hosts 2
setup reach 1 10.0.0.2
flood 1 10.0.0.2
setup eventually flows
check "removed with the subnet manager alive" removed
# It does not notice, and asks and asks.
setup kill_sm "$sm_pid"
check "no interface is left" no_interface
stop_flood

hosts 2
setup reach 1 10.0.0.2
flood 1 10.0.0.2
setup eventually flows
setup kill_sm "$sm_pid"
check "removed with the subnet manager dead" removed
check "no interface is left then, either" no_interface
check "nor a device" not ls -d /sys/class/infiniband/ibdevsim*
stop_flood
setup load ibdevsim
