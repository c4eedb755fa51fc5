#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# However many neighbours do not answer, the table of peers has a limit, and
# who is reachable stays so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Permanent neighbours, so that the stack's own limit does not help.
nobodies()
{
	local i

	for ((i = 0; i < $1; i++)); do
		printf 'neigh replace 10.1.%d.%d nud permanent dev ib0 lladdr %s:%02x:%02x\n' \
			$((i / 200)) $((i % 200 + 1)) \
			00:00:00:11:fe:80:00:00:00:00:00:00:00:00:00:00:be:ef \
			$((i / 256)) $((i % 256))
	done | ip -n "$h1" -batch -
}

# To open a socket for each takes longer than all the rest, and one alone may have no
# more than some hundreds of packets waiting.
send_to_nobodies()
{
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		for $i (0 .. $ARGV[0] - 1) {
			$i % 64 or socket(S, PF_INET, SOCK_DGRAM, 0) or die $!;
			$address = sprintf "10.1.%d.%d", $i / 200, $i % 200 + 1;
			send(S, "", 0, sockaddr_in(9, inet_aton $address));
		}' "$1"
}

plan 4
two_hosts
limit=$(status "$rdma1" peer_limit)
must "there is a limit" [ "${limit:-0}" -gt 0 ]
setup ip -n "$h1" addr add 10.1.255.1/16 dev ib0
setup nobodies $((limit + 100))
setup send_to_nobodies $((limit + 100))
note "$(counter "$h1" peers) peers, limit $limit"
check "it was tried" [ "$(counter "$h1" peers)" -gt $((limit / 2)) ]
check "it was kept" [ "$(counter "$h1" peers)" -le "$limit" ]
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
