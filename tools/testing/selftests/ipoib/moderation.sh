#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# ethtool -C has completion queues interrupt less often, those of connections, too, or has the
# driver choose by the load. What would never interrupt is refused, and all of it on an HCA that
# cannot do this, which host 3 has.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# moderate N ARGUMENT...
moderate()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -C ib0 "${@:2}"
}

# refused REASON N ARGUMENT...
refused()
{
	local out

	out=$(moderate "${@:2}" 2>&1) && return 1
	echo "$out"
	[[ $out == *"$1"* ]]
}

# shows N PATTERN
shows()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -c ib0 2>&1 | tee -a /dev/stderr | grep -qE "$2"
}

# queue_has RX|TX MICROSECONDS FRAMES: of host 2
queue_has()
{
	[ "$(status "$rdma2" "$1_moderation")" = "$2 us, $3 frames" ]
}

# interrupts COMMAND...: prints how many host 2 had of its HCA meanwhile
interrupts()
{
	local before

	before=$(all_interrupts) && "$@" >&2 || return
	echo $(($(all_interrupts) - before))
}

all_interrupts()
{
	awk '{ sum += $NF } END { print sum }' "$ibdevsim/$rdma2/vectors"
}

# seldom COMMAND...: with less than half of $usual interrupts
seldom()
{
	local now

	now=$(interrupts "$@") || return
	echo "$now interrupts, usually $usual"
	[ $((2 * now)) -lt "$usual" ]
}

# often COMMAND...: with $usual interrupts, for each packet one or more
often()
{
	usual=$(interrupts "$@") || return
	echo "$usual interrupts"
	[ "$usual" -ge 80 ]
}

pings()
{
	ping_all "$h1" 10.0.0.2 -c 80 -i 0.005
}

adapts()
{
	ping_all "$h1" 10.0.0.2 -c 500 -i 0.001 && ! queue_has rx 1 256
}

plan 18
ib_fabric 1 profile=irdma
rdma1=ibdevsim1 rdma2=ibdevsim2 rdma3=ibdevsim0
setup netns "$h1" "$h2" "$h3"
echo "mlx5 2" > /sys/devices/ibdevsim/new_hca
setup take_interface 1 2 3
setup eventually is_up "$h1"
setup eventually ping_all "$h1" 10.0.0.2
setup quiet_hosts 1 2
check "nothing is moderated at first" shows 2 '^rx-usecs:[[:space:]]*0$'
check "every packet interrupts" eventually often pings
check "a time and a number are taken" \
	moderate 2 rx-usecs 50000 rx-frames 32 tx-usecs 50000 tx-frames 32
check "by the queue of receives" queue_has rx 50000 32
check "and that of sends" queue_has tx 50000 32
check "fewer interrupts, each answer" busywait 5000 seldom pings
check "one packet does not wait for others" ping_all "$h1" 10.0.0.2 -c 1
setup ip -n "$h2" link set ib0 down
setup ip -n "$h2" link set ib0 up
setup eventually ping_all "$h1" 10.0.0.2
check "after down and up as before" busywait 5000 seldom pings
check "more frames than one need a time" \
	refused "more than one frame needs a time" 2 rx-usecs 0
check "the HCA has a limit" refused "for so many usecs" 2 rx-usecs 70000
check "nothing changed by that" shows 2 '^rx-usecs:[[:space:]]*50000$'
setup connected rc 1 2
check "a connection" by_connection 1 200000 large "$h1" 10.0.0.2
check "its messages interrupt seldom" busywait 5000 seldom by_connection 1 pings
setup mode datagram 1 2
check "the driver chooses" moderate 2 adaptive-rx on adaptive-tx on
check "by the load" eventually adapts
check "until it shall not" \
	moderate 2 adaptive-rx off adaptive-tx off rx-usecs 0 rx-frames 0
check "and the queue is as it was" queue_has rx 0 0
check "an HCA that cannot is not asked" refused "cannot moderate" 3 rx-usecs 10
