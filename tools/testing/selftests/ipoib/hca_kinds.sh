#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Datagrams, groups and connections work on HCAs like those that there are: with fewer
# SGEs, P_Keys and vectors, with no shared receive queues, and such as free a send's slot
# when it was polled, or answer arming by an event.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# come KIND: two of them, each with an interface on a host
come()
{
	echo "$1 2" > /sys/devices/ibdevsim/new_hca &&
		take_interface 1 2 && eventually is_up "$h1" && eventually is_up "$h2"
}

# missed N: the subnet manager has seen so many go, in all. It takes another HCA in the
# same place for the one that it knows, as long as it does not know that one gone
missed()
{
	[ "$(grep -c "GID out of service" "$tmp/sm1/log")" -ge "$1" ]
}

go()
{
	echo 2 > /sys/devices/ibdevsim/del_hca && echo 1 > /sys/devices/ibdevsim/del_hca &&
		eventually missed $((gone += 2))
}

# group_answers N: so many hosts answer host 1's question to all nodes
group_answers()
{
	in_ns "$h1" ping -c 2 -i 0.2 -w 5 ff02::1%ib0 | grep -o "from [^ ]*" | sort -u |
		tee -a /dev/stderr | wc -l | grep -qx "$1"
}

# recovers: host 1's queue pair, from an error
recovers()
{
	local before

	before=$(status "$rdma1" qp_recoveries)
	ib_knob "$rdma1/qp_error" $(($(status "$rdma1" qpn))) &&
		eventually recovered $((before + 1)) &&
		eventually ping_all "$h1" 10.0.0.2
}

down_and_up()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up &&
		eventually is_up "$h1" && eventually ping_all "$h1" 10.0.0.2
}

recovered()
{
	[ "$(status "$rdma1" qp_recoveries)" -ge "$1" ]
}

many=$(much 400)
gone=0
kinds=(mlx4 mlx5 mthca qib hfi1 irdma)
plan $((9 * ${#kinds[@]}))
ib_fabric 1
# That one is the subnet manager's.
rdma1=ibdevsim1 rdma2=ibdevsim2
setup netns "$h1" "$h2"
for kind in "${kinds[@]}"; do
	setup come "$kind"
	check "$kind: datagrams" eventually ping_all "$h1" 10.0.0.2 -s 2000
	check "as long as they may be" ping_all "$h2" fd00::1 -s 4044 -M "do"
	late=32 check "many at a time" ping_all "$h1" 10.0.0.2 -i 0 -l 32 -c $((many + 32))
	check "to a group" eventually group_answers 2
	check "TCP" transfer "$h1" "$h2" 10.0.0.2 200K
	check "the queue pair fails" recovers
	check "the interface goes down, and comes up" down_and_up
	setup connected rc 1 2
	check "a connection" by_connection 1 300000 large "$h1" 10.0.0.2
	check "TCP over it" by_connection 1 200000 transfer "$h1" "$h2" 10.0.0.2 200K
	setup go
done
