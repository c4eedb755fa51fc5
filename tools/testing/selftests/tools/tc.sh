#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: stock, for our own have no queueing disciplines
# Also: stock
#
# tc on an interface: queueing disciplines with and without classes, of which each carries traffic
# in either mode, and filters of what comes in and goes out.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# disciplines: a line each, as tc has it
disciplines='fq
fq_codel
sfq
tbf rate 200mbit burst 256k latency 200ms
htb default 1
netem delay 20ms'

# tc_on OBJECT...
tc_on()
{
	ip netns exec "$h1" tc "$@"
}

# takes_longer: by 20 ms each way out
takes_longer()
{
	local times

	times=$(in_ns "$h1" ping -q -c 5 -i 0.1 10.0.0.2) || return
	echo "$times"
	[[ $times =~ min/avg/max/mdev\ =\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 20 ]
}

# carries DISCIPLINE...: that is the interface's, for a while; and it has sent packets
carries()
{
	tc_on qdisc add dev ib0 root handle 1: "$@" || return
	[ "$1" != htb ] ||
		tc_on class add dev ib0 parent 1: classid 1:1 htb rate 200mbit || return
	reaches 1 10.0.0.2 -s 1000 &&
		tc_on -s qdisc show dev ib0 root | tee -a /dev/stderr | grep -E "Sent [1-9]" || return
	[ "$1" != netem ] || takes_longer || return
	tc_on qdisc del dev ib0 root
}

# filtered PARENT: the packets of a filter there
filtered()
{
	tc_on -s filter show dev ib0 "$1" | tee -a /dev/stderr | grep -E "Sent [0-9]+ bytes [1-9]"
}

unanswered()
{
	not in_ns "$h1" ping -q -c 2 -W 1 10.0.0.2
}

plan 17
setup modules sch_fq sch_fq_codel sch_sfq sch_tbf sch_htb sch_netem sch_ingress cls_flower act_gact
ib_hosts 2
for mode in datagram connected; do
	[ $mode = datagram ] || {
		setup connected rc 1 2
		setup eventually by_connection 1 ping_all "$h1" 10.0.0.2 -w 2
	}
	while read -r -a discipline <&3; do
		check "$mode: ${discipline[0]}" carries "${discipline[@]}"
	done 3<<< "$disciplines"
done
setup tc_on qdisc add dev ib0 clsact
setup tc_on filter add dev ib0 ingress protocol ip flower ip_proto icmp action drop
check "what comes in can be dropped" unanswered
check "by a filter that counts" filtered ingress
setup tc_on filter del dev ib0 ingress
setup tc_on filter add dev ib0 egress protocol ip flower ip_proto icmp action drop
check "and what goes out" unanswered
check "by a filter that counts" filtered egress
setup tc_on qdisc del dev ib0 clsact
check "without filters all passes" reaches 1 10.0.0.2
