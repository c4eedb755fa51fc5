#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Three hosts, of which some are in connected mode, talk while one thing after
# another happens to them. When it is over they still talk, and nothing is left of
# what has been.
#
# SEED     what happens follows from it, in this order; when, depends on the machine
# MINUTES  5, or as long as it takes for each to happen once

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/events.sh
. "$here/lib/events.sh"

RANDOM=${SEED:=1}
minutes=${MINUTES:-5}

# keep_on COMMAND...: again and again, until $tmp/soaking is gone
keep_on()
{
	while [ -e "$tmp/soaking" ]; do
		"$@"
		sleep 0.2
	done > "$tmp/kept.$BASHPID" 2>&1 &
	jobs+=($!)
}

# look: at all that can be read
look()
{
	local ns

	cat "$debug"/*/* /sys/class/net/ib*/{pkey,mode,umcast,dev_id}
	for ns in "$h1" "$h2" "$h3"; do
		in_ns "$ns" ethtool -S ib0
		ip -n "$ns" -s -d link show
	done
}

talk()
{
	: > "$tmp/soaking"
	jobs=()
	keep_on timeout 20 ip netns exec "$h1" ping -q -i 0.005 -s 1000 10.0.0.2
	keep_on timeout 20 ip netns exec "$h2" ping -q -i 0.01 -s 3000 10.0.0.3
	keep_on timeout 20 ip netns exec "$h3" ping -q -i 0.01 fd00::1
	keep_on timeout 20 ip netns exec "$h3" ping -q -i 0.1 -s 60000 10.0.0.1
	keep_on timeout 20 ip netns exec "$h2" ping -q -i 0.1 -s 20000 fd00::1
	keep_on timeout 20 ip netns exec "$h1" ping -q -i 0.05 -b 10.0.0.255
	keep_on timeout 20 ip netns exec "$h2" ping -q -i 0.05 10.1.0.1
	keep_on timeout 20 ip netns exec "$h2" socat -u TCP-LISTEN:5003,fork,reuseaddr /dev/null
	keep_on timeout 20 ip netns exec "$h1" socat -u /dev/zero TCP:10.0.0.2:5003
	keep_on look
}

be_silent()
{
	rm "$tmp/soaking"
	wait "${jobs[@]}"
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

# happen: each event once before any comes again, and each at least once
happen()
{
	local count=0 event end=$((SECONDS + minutes * 60))

	while [ $SECONDS -lt $end ] || [ $count -lt ${#events[@]} ]; do
		[ $((count % ${#events[@]})) -gt 0 ] || shuffle
		event=${events[count % ${#events[@]}]}
		note "$SECONDS s: $event"
		$event > "$tmp/said" 2>&1
		sed "s/^/$event: /" "$tmp/said" >> "$tmp/complaints"
		count=$((count + 1))
		a_while
	done
	note "$count events"
}

carriers()
{
	has_carrier "$h1" && has_carrier "$h2" && has_carrier "$h3"
}

all_talk()
{
	ping_all "$h1" 10.0.0.2 -W 2 && ping_all "$h2" 10.0.0.3 -W 2 &&
		ping_all "$h3" fd00::1 -W 2
}

# After the small ones, for a neighbour that is being looked for has a short queue
large_talk()
{
	ping_all "$h1" 10.0.0.2 -W 2 -s 60000 &&
		ping_all "$h2" 10.0.0.3 -W 2 -s 60000 &&
		ping_all "$h3" fd00::1 -W 2 -s 60000
}

all_happened()
{
	not grep . "$tmp/complaints"
}

plan 6
note "SEED=$SEED MINUTES=$minutes"
partitions+=$red
ib_hosts 3
spare=ipoib-$id-4
setup netns "$spare"
for n in 1 2 3; do
	setup red_child $n
done
setup connected "rc uc" 1 2
talk
happen
be_silent
check "what was to happen did happen" all_happened
check "every host has a carrier" eventually carriers
check "they talk" eventually all_talk
check "of much, too" eventually large_talk
check "their children, too" eventually ping_all "$h2" 10.1.0.1 -W 2
check "a broadcast is heard" eventually ping_all "$h1" 10.0.0.255 -b -c 1
