#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: it takes minutes
#
# Three hosts, of which some are in connected mode, talk while one thing after
# another happens to them, and some things during others. When it is over they still
# talk, and nothing is left of what has been.
#
# SEED     what happens follows from it, in this order; when, depends on the machine
# MINUTES  5, or as long as it takes for each to happen once

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/events.sh
. "$here/lib/events.sh"
# shellcheck source=lib/talk.sh
. "$here/lib/talk.sh"

RANDOM=${SEED:=1}
minutes=${MINUTES:-5}
# Said once an allocation of the tracker's own has failed
expected='unreliable refcount tracker|cannot start the link|no connections: |no IPoIB'

# talked: each of them had answers now and then, and what is looked at was there
talked()
{
	local kept segments

	for kept in "$tmp"/kept.ping*; do
		grep -q ' [1-9][0-9]* received' "$kept" || {
			tail -v "$kept"
			return 1
		}
	done
	segments=$(snmp "$h2" TcpInSegs)
	echo "TCP: $segments segments have arrived"
	[ "$segments" -gt 100 ] && [ -s "$tmp/kept.look" ]
}

# shuffle: puts the events into another order
shuffle()
{
	local i event

	for ((i = ${#events[@]} - 1; i > 0; i--)); do
		pick $((i + 1))
		event=${events[i]}
		events[i]=${events[picked]}
		events[picked]=$event
	done
}

# happens EVENT: $tmp/complaints has what it says, and which of its commands fail
happens()
{
	note "$SECONDS s: $1" >&"$out"
	"$1" > "$tmp/said.$1" 2>&1
	sed "s/^/$1: /" "$tmp/said.$1" >> "$tmp/complaints"
}

# happen: each event once before any comes again, and each at least once
happen()
{
	local count=0 end=$((SECONDS + minutes * 60))

	: > "$tmp/complaints"
	set -E
	trap 'echo "${FUNCNAME[*]}: $BASH_COMMAND" >> "$tmp/complaints"' ERR
	while [ $SECONDS -lt $end ] || [ $count -lt ${#events[@]} ]; do
		[ $((count % ${#events[@]})) -gt 0 ] || shuffle
		happens "${events[count % ${#events[@]}]}"
		count=$((count + 1))
		a_while
	done
	trap - ERR
	set +E
	note "$count events; $failed_connections connections and $refused allocations failed"
}

carriers()
{
	has_carrier "$h1" && has_carrier "$h2" && has_carrier "$h3"
}

all_talk()
{
	ping_all "$h1" 10.0.0.2 -w 2 && ping_all "$h2" 10.0.0.3 -w 2 &&
		ping_all "$h3" fd00::1 -w 2
}

# After the small ones, for a neighbour that is being looked for has a short queue
large_talk()
{
	ping_each "$h1" 10.0.0.2 -w 2 -s 60000 &&
		ping_each "$h2" 10.0.0.3 -w 2 -s 60000 &&
		ping_each "$h3" fd00::1 -w 2 -s 60000
}

all_happened()
{
	not grep . "$tmp/complaints"
}

plan 9
# Where notes go, also from within an event
exec {out}>&1
note "SEED=$SEED MINUTES=$minutes"
partitions+=$red
ib_hosts 3
spare=ipoib-$id-4
setup netns "$spare"
for n in 1 2 3; do
	setup red_child $n
done
setup connected "rc uc" 1 2
setup ib_knob seed "$SEED"
setup prepare_refusals
talk
happen
be_silent
# It looks at ports that are up for no other reason, and does not know a LID that it has not given.
setup reload_sm sm1
check "they talked meanwhile" talked
check "what was to happen did happen" all_happened
check "the last subnet manager has not ended" kill -0 "${sm_pid[sm1]}"
check "every host has a carrier" eventually carriers
check "they talk" eventually all_talk
check "of much, too" eventually large_talk
check "their children, too" eventually ping_all "$h2" 10.1.0.1 -w 2
check "a broadcast is heard" eventually ping_all "$h1" 10.0.0.255 -b -c 1 -w 2
setup connected "rc uc" 1 2
check "they have connections" \
	eventually by_connection 1 60000 ping_each "$h1" 10.0.0.2 -w 2 -s 60000
