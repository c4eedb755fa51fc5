#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Anybody can send what looks like a report of the subnet administrator. Only what comes
# from the LID of the subnet manager is confirmed, and counts. What it says of a group is
# not believed either: the administrator is asked, and if there is no answer the group is
# kept.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

a=ff12401bffff0000000000000f010203 b=ff12401bffff0000000000000f010204

# asked GID [TIMES]: for MCMemberRecords
asked()
{
	[ "$(sent 01 0038 0 "$1")" -ge "${2:-1}" ]
}

confirmed()
{
	[ "$(sent 86 0002 16 "$1")" -ge 1 ]
}

members()
{
	is_member "$rdma2" ff12:401b:ffff::f01:203 &&
		is_member "$rdma2" ff12:401b:ffff::f01:204
}

plan 10
ib_hosts 3
background ip netns exec "$h2" socat -u \
	UDP4-RECV:5000,ip-add-membership=239.1.2.3:ib0 /dev/null
background ip netns exec "$h2" socat -u \
	UDP4-RECV:5001,ip-add-membership=239.1.2.4:ib0 /dev/null
setup eventually members
setup capture "$eth2"
check "somebody says that a group was deleted" report "$rdma3" 2 67 $a
check "and the subnet manager's port, of another" report "$rdma1" 2 67 $b
check "of that one the subnet administrator is asked" eventually asked $b
check "and the report was confirmed" eventually confirmed $b
check "not of the first" not asked $a
check "nor did who sent that get an answer" not confirmed $a
check "nothing was left because of that" members

setup ib_knob drop_sa_dlid "$(($(< "/sys/class/infiniband/$rdma1/ports/1/lid")))"
before=$(sent 01 0038 0 $b)
setup report "$rdma1" 2 67 $b
check "nobody answers" eventually asked $b $((before + 3))
check "the group stays" members
# The question is still open.
setup ip -n "$h2" link set ib0 down
setup ib_knob drop_sa_dlid 0
setup ip -n "$h2" link set ib0 up
check "the interface comes back" eventually is_up "$h2"
