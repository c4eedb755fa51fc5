#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Another subnet manager takes over that knows nothing of who has joined which group, and has
# nobody report anew. Ports see no more than that it is another one, and ask whether they are
# still in their groups. Those who are not join once more, and lose nobody's packets by that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all_in_groups: the SA has both ports in the groups of all and of all hosts
all_in_groups()
{
	local rdma group

	sa_members > "$tmp/members"
	cat "$tmp/members"
	for rdma in "$rdma1" "$rdma2"; do
		for group in ffff:ffff 1; do
			grep -q "^ff12:401b:ffff::$group	$(gid "$rdma")" \
				"$tmp/members" || return
		done
	done
}

plan 3
ib_hosts 2
setup ping_all "$h1" 10.0.0.2
setup eventually all_in_groups
setup kill_sm sm1
no_clients_rereg=TRUE
setup start_sm sm2 -g "$(port_guid "$rdma2")"
must "another subnet manager" eventually subnet_is_up sm2
check "it hears who is in which group" eventually all_in_groups
setup forget_neighbours "$h1" dev ib0
check "so they find each other" eventually ping_all "$h1" 10.0.0.2 -w 2
