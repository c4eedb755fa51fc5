#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
#
# Two hosts ask each other at the same time: one connection comes of it, that of the
# host with the numerically larger address (RFC 4755, 3.3).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# slow_messages: requests for connections cross on their way, even if one of the hosts
# is late
slow_messages()
{
	if on_ib; then
		ib_knob delay_usec 1000000 && ib_knob delay_cm_ppm 1000000
	else
		modules sch_netem &&
			tc qdisc add dev "$eth1" root netem delay 1s &&
			tc qdisc add dev "$eth2" root netem delay 1s
	fi
}

# larger: number of the host with the larger address; its flags do not count
larger()
{
	if [[ $(lladdr "$h1" | cut -c 4-) > $(lladdr "$h2" | cut -c 4-) ]]; then
		echo 1
	else
		echo 2
	fi
}

# one_asks N: a packet, when all have let go of $tmp/go that could write to it
one_asks()
{
	local ns=h$1

	# shellcheck disable=SC2016 # bash in the namespace expands them
	in_ns "${!ns}" timeout "$minute" bash -c 'exec 9< "$0/go" && echo >> "$0/there" && ! read -u 9 &&
		echo > "/dev/udp/$1/9"' "$tmp" "10.0.0.$((3 - $1))"
}

# both_there: and wait
both_there()
{
	[ "$(wc -l < "$tmp/there")" -eq 2 ]
}

# both_ask: within less than it takes to start a program
both_ask()
{
	local jobs=() go status

	rm -f "$tmp/go" && mkfifo "$tmp/go" && : > "$tmp/there" || return
	one_asks 1 &
	jobs+=($!)
	one_asks 2 &
	jobs+=($!)
	exec {go}<> "$tmp/go"
	eventually both_there
	status=$?
	exec {go}>&-
	wait "${jobs[0]}" && wait "${jobs[1]}" && return $status
}

# askers SERVICE: the hosts that have sent a REQ for it, 0x00 is RC, 0x01 UC, before
# anybody has sent a REP or a REJ, which have no such fields
askers()
{
	awk -F '\t' -v service="$1" '$2 == service { print $1; asked = 1 }
		$2 == "" && asked { exit }' "$tmp/messages" | sort -u
}

plan 10
two_hosts
# The ways are known then, and nobody has to look for them first.
setup ping_all "$h1" 10.0.0.2
setup slow_messages
setup capture "$eth2"
for transport in RC UC; do
	setup connected ${transport,,} 1 2
	setup knows "$h1" 10.0.0.2 "$(lladdr "$h2")"
	setup knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
	check "$transport: both ask" both_ask
	winner=$(larger)
	loser=$((3 - winner))
	check "the larger address has opened the connection" eventually \
		has_connection "$winner" opened_by=us state=established \
		transport=$transport
	check "the smaller has accepted it" \
		eventually has_connection "$loser" opened_by=peer state=established
	check "there is no other" eventually has_connections "$loser" 1
done
decode "infiniband.cm.req || infiniband.cm.rep || infiniband.cm.rej.reason" \
	infiniband.cm.req.prim_localgid infiniband.cm.req.transpsvctype \
	> "$tmp/messages"
check "RC: their requests have crossed" [ "$(askers 0x00 | wc -l)" -eq 2 ]
check "UC: their requests have crossed" [ "$(askers 0x01 | wc -l)" -eq 2 ]
