#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# A node does to a host whatever it can by connections: it asks, answers, refuses, says
# what is out of turn, sends messages of any kind and length, takes none, or is gone. Two
# other hosts talk all the time, and nothing of theirs is lost.
#
# SEED       what it does follows from it (1)
# STORM      so many things (200)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/conn_storm.sh
. "$here/lib/conn_storm.sh"

quiet()
{
	kernel_log > "$tmp/log" && [ "$(grep -Ec "ib0|ipoib:|$rdma1" "$tmp/log")" -lt 30 ]
}

plan 8
count=$(much "${STORM:-200}")
note "SEED=${SEED:=1}"
three_hosts
setup connected "rc uc" 1 2
setup cm_peers
setup storm_from_3
setup by_connection 2 large "$h2" 10.0.0.1
setup steady "$h2" 10.0.0.1 -i 0.05
check "in the storm hosts 1 and 2 send what they have to" transfer_while storm
note "${did[*]@K}"
check "some of each was done" all_was_done
check "no request of host 2 was lost" none_lost
check "the log has a few lines at most" quiet
end_job "$asking"
cmpeer forget
setup mode datagram 1 2
check "nothing is left" eventually nothing_of conn
setup connected "rc uc" 1 2
check "they have connections again" eventually by_connection 1 large "$h1" 10.0.0.2
check "they send by them" by_connection 2 1M transfer "$h2" "$h1" 10.0.0.1 2M
check "all is well with host 3" eventually ping_all "$h3" 10.0.0.1 -w 2
