#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# With umcast an interface leaves groups to programs that have joined them by RDMA CM, as long as
# they are members. What another interface of the port has joined it joins, too.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rdma_cm_ask=${OUTPUT:-$here}/rdma_cm_ask

# mgid N: of the group 239.1.2.N
mgid()
{
	printf 'ff12:401b:ffff::f01:2%02x' "$1"
}

# program N: joins that group, beside the kernel
program()
{
	rm -f "$tmp/background.log"
	background ip netns exec "$h2" "$rdma_cm_ask" join 10.0.0.2 "239.1.2.$1"
	eventually grep joined "$tmp/background.log"
}

# socket NS N [DEV]: joins it by the interface
socket()
{
	background ip netns exec "$1" socat -u \
		"UDP4-RECV:50$2,reuseaddr,ip-add-membership=239.1.2.$2:${3:-ib0}" /dev/null
	eventually listens "$1" "$2" "${3:-ib0}"
}

# listens NS N DEV
listens()
{
	ip -n "$1" maddr show dev "$3" | grep -w "239.1.2.$2"
}

# has N: the interface is a member
has()
{
	is_member "$rdma2" "$(mgid "$1")"
}

# pod_has N: so is its sibling
pod_has()
{
	grep "^$(mgid "$1") .*flags=member" "$debug/$rdma2.1.ffff.2/groups"
}

plan 6
setup modules rdma_ucm
ib_hosts 2
setup ip -n "$h2" link set ib0 type ipoib umcast 1
setup program 3
of_program=$job
setup socket "$h2" 3
setup socket "$h2" 4
check "a group that nobody has is joined" eventually has 4
check "that of the program is not" not has 3
setup end_job "$of_program"
check "once the program is gone, it is" eventually has 3
setup netns "$h3"
setup ip -n "$h2" link add link ib0 name pod netns "$h3" type ipoib umcast 1
setup ip -n "$h3" link set pod up
setup eventually is_up "$h3" pod
setup socket "$h3" 4 pod
check "that of a sibling is joined" eventually pod_has 4
setup program 5
setup socket "$h2" 5
setup socket "$h2" 6
setup eventually has 6
check "another one of a program is not" not has 5
setup ip -n "$h2" link set ib0 type ipoib umcast 0
check "without umcast it is" eventually has 5
