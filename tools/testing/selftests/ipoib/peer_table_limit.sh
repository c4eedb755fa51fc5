#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# However many neighbours do not answer, the table of peers has a limit, and
# who is reachable stays so. Those go that nobody has sent to for longest.

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

# send_to FIRST STEP LAST: of the nobodies. To open a socket for each takes longer than all
# the rest, and one alone may have no more than some hundreds of packets waiting
send_to()
{
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h1" perl -MSocket -e '
		my ($first, $step, $last) = @ARGV;
		for (my $i = $first; $i <= $last; $i += $step) {
			$n++ % 64 or socket(S, PF_INET, SOCK_DGRAM, 0) or die $!;
			$address = sprintf "10.1.%d.%d", $i / 200, $i % 200 + 1;
			send(S, "", 0, sockaddr_in(9, inet_aton $address));
		}' "$@"
}

# gone: which of the first 800 nobodies are not in the table
gone()
{
	perl -ne '$there[hex "$1$2"] = 1 if /^00:00:00:11:.*:be:ef:(..):(..) /;
		END { print join(" ", grep { !$there[$_] } 0 .. 799), "\n" }' \
		"$debug/$rdma1.1.ffff/peers"
}

# idle_ones_go: some have gone, and none of those that were sent to twice
idle_ones_go()
{
	local all n

	read -ra all < <(gone)
	echo "${all[*]}"
	for n in "${all[@]}"; do
		[ $((n % 2)) -eq 1 ] || return
	done
	[ ${#all[@]} -ge 10 ]
}

plan 5
two_hosts
limit=$(status "$rdma1" peer_limit)
must "there is a limit" [ "${limit:-0}" -gt 0 ]
setup ip -n "$h1" addr add 10.1.255.1/16 dev ib0
setup nobodies $((limit + 100))
setup send_to 0 1 $((limit - 100))
# Each other one of those that come first
setup send_to 0 2 799
setup send_to $((limit - 99)) 1 $((limit + 99))
note "$(counter "$h1" peers) peers, limit $limit"
check "it was tried" [ "$(counter "$h1" peers)" -gt $((limit / 2)) ]
check "it was kept" [ "$(counter "$h1" peers)" -le "$limit" ]
check "those go that have been idle for longer" idle_ones_go
check "the other host is reached" eventually ping_all "$h1" 10.0.0.2 -w 2
