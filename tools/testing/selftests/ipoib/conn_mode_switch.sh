#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
#
# The mode of either host changes under traffic: a transfer goes on, no link is ever
# down, the addresses stay.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# back_and_forth: each host in turn, as long as the transfer takes, but at least
# once
back_and_forth()
{
	local transfer switches=0 new

	transfer "$h1" "$h2" 10.0.0.2 "$(much 16M)" &
	transfer=$!
	while kill -0 $transfer 2> /dev/null; do
		for new in "datagram 1" "datagram 2" "connected 1" "connected 2"; do
			# shellcheck disable=SC2086 # mode and host
			eventually few_sets && mode $new && eventually goes_on_or_ends $transfer || return
			switches=$((switches + 1))
		done
	done
	echo "$switches switches"
	wait $transfer
}

# few_sets: while three older ones of a host are closing, there is no new one
few_sets()
{
	awk '$1 == "conn_set" { print; exit $2 - $3 > 3 }' "$objects"
}

# goes_on_or_ends JOB: some more packets have arrived, or all have
goes_on_or_ends()
{
	[ "$(bytes)" -gt $((seen + 500000)) ] || ! kill -0 "$1" || return
	seen=$(bytes)
}

bytes()
{
	[[ $(in_ns "$h2" cat /proc/net/dev) =~ ib0:\ *([0-9]+) ]] &&
		echo "${BASH_REMATCH[1]}"
}

# links: how often each came and went
links()
{
	in_sysfs "$h1" cat /sys/class/net/ib0/carrier_changes &&
		in_sysfs "$h2" cat /sys/class/net/ib0/carrier_changes
}

# addrs: of both hosts, IPv4 and IPv6
addrs()
{
	ip -n "$h1" -o addr show dev ib0 && ip -n "$h2" -o addr show dev ib0
}

plan 5
seen=0
two_hosts
setup connected rc 1 2
setup ping_all "$h1" fd00::2
links=$(links) addrs=$(addrs)
check "a transfer goes on" back_and_forth
setup offer uc 1 2
check "one by UC, too" back_and_forth
check "no link was ever down" diff <(links) - <<< "$links"
check "the addresses are there" diff <(addrs) - <<< "$addrs"
check "a connection at last" eventually by_connection 1 300000 \
	large "$h1" 10.0.0.2
