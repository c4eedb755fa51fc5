#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
# HCAs: not irdma, for they have one P_Key
#
# A P_Key is taken away, given back, and moved within the port's table, under
# traffic: the interface waits, comes back and follows with all its groups.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

pkey=8001

# all_joined: whatever is listened to
all_joined()
{
	local groups=$debug/$rdma2.1.8001/groups

	[ "$(grep -c flags=member "$groups")" -ge 5 ] &&
		! grep flags=member "$groups" |
			grep -v 'state=joined flags=member,attached'
}

# answered_by ADDRESS: a ping to all, among others
answered_by()
{
	in_ns "$h2" ping -b -c 3 -i 0.2 -W 5 10.1.0.255 | grep "from $1"
}

plan 8
partitions+=$red
ib_hosts 2
for n in 1 2; do
	setup child $n 0x8001 red
	setup child_addresses $n red
done
setup eventually is_up "$h1" red
setup eventually is_up "$h2" red
pkey=8001 setup eventually forwards_broadcast "$rdma1" "$rdma2"
setup ping_all "$h1" 10.1.0.2
flood "$h1" 10.1.0.2

setup ib_knob "$rdma2/pkeys" '1 0'
check "without its P_Key it waits" eventually not has_carrier "$h2" red
check "and says for what" [ "$(status "$rdma2" reason)" = \
	"P_Key is not in the port's table" ]
setup ib_knob "$rdma2/pkeys" '1 0x8001'
check "with it, it comes back" eventually is_up "$h2" red
check "and so do its groups" eventually all_joined

setup ib_knob "$rdma2/pkeys" '9 0x8001'
setup ib_knob "$rdma2/pkeys" '1 0'
seen=$(counter "$h2" rx0_packets red)
check "elsewhere in the table: traffic goes on" \
	eventually grew "$h2" rx0_packets $((seen + 500)) red
check "all groups followed" eventually all_joined
check "unicast" eventually ping_all "$h2" fd01::1 -w 2
# The next ping would begin with a socket full of what the flood is about.
end_job "$job"
check "broadcast" eventually answered_by 10.1.0.1
