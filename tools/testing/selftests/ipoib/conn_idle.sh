#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
#
# A connection that nobody has used for a while is closed, one that is used is not;
# and it comes back when it is needed.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# idle_after N MS
idle_after()
{
	local rdma=rdma$1

	echo "$2" > "$debug/${!rdma}.1.ffff/conn_idle_ms"
}

plan 5
three_hosts
setup connected "rc uc" 1
setup connected rc 2
setup connected uc 3
setup by_connection 1 300000 large "$h1" 10.0.0.2
setup by_connection 1 300000 large "$h1" 10.0.0.3
check "there are two" eventually has_connections 1 2
setup steady "$h1" 10.0.0.2 -i 0.1
setup idle_after 1 3000
check "one of them is closed" eventually has_connections 1 1
check "the other is not the idle one" answers "$h1" 10.0.0.2
check "nothing was lost over it" none_lost
check "the first comes back" eventually by_connection 1 300000 \
	large "$h1" 10.0.0.3
