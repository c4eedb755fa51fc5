#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
# HCAs: not irdma or hfi1, for they have no UC, or connections of one path
#
# Ports have several LIDs, so a connection has two paths. One fails: it goes on by
# the other one, and nothing is lost. One over UC, which nobody would notice of, has one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# by_second_lids: messages went between these only, both ways
by_second_lids()
{
	local one two

	one=$(($(< "/sys/class/infiniband/$rdma1/ports/1/lid") + 1))
	two=$(($(< "/sys/class/infiniband/$rdma2/ports/1/lid") + 1))
	decode 'infiniband.bth.opcode <= 4' \
		infiniband.lrh.slid infiniband.lrh.dlid | sort -u |
		tee -a /dev/stderr | diff - \
		<(printf "%d\t%d\n" $one $two $two $one | sort)
}

# traced: once for each host, by the GID of the other
traced()
{
	sed -n 's/.* ipoib_conn_path: //p' $tracing/trace | sort | tee -a /dev/stderr |
		diff - <(printf 'dev=ib0 gid=%s primary -> alternate\n' \
			"$(gid "$rdma1")" "$(gid "$rdma2")" | sort)
}

plan 12
# shellcheck disable=SC2034 # for the subnet manager
lmc=1
two_hosts
setup connected rc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
must "a connection has an alternate path" \
	has_connection 1 state=established alternate=yes migrations=0
check "at the other end, too" \
	has_connection 2 state=established alternate=yes migrations=0
# Half a second passes until the path is given up, or more. What waits meanwhile has to
# fit into buffers of 128 KiB: that of the kernel's replies, and that of ping for them.
setup steady "$h1" 10.0.0.2 -i 0.2 -s 5000
setup sh -c "echo > $tracing/trace"
setup sh -c "echo 1 > $tracing/events/ipoib/ipoib_conn_path/enable"
defer sh -c "echo 0 > $tracing/events/ipoib/ipoib_conn_path/enable"
setup break_path 2
check "its path fails: it goes over" \
	eventually has_connection 1 state=established alternate=no migrations=1
check "and the other end with it" \
	eventually has_connection 2 state=established alternate=no migrations=1
check "that is traced, of each end" traced
check "packets go on" goes_on 20
check "none was lost" none_lost
setup capture
check "60000 octets" large "$h1" 10.0.0.2
check "by the other LIDs" by_second_lids
check "it is still the only one" has_connections 1 1
setup mode datagram 1
check "and ends by them at both ends" eventually nothing_of conn
setup mend_path
setup connected uc 1 2
setup eventually answers "$h1" 10.0.0.2 -s 20000
check "UC: a connection has no alternate path" \
	has_connection 1 transport=UC state=established alternate=no
