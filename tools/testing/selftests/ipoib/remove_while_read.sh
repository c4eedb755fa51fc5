#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# Interfaces come and go while everything about them is being read.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# read_all: debugfs, sysfs, both kinds of netlink and ethtool, over and over
read_all()
{
	local what

	while :; do
		cat "$debug"/*/* "/sys/class/net/$ib/"{umcast,mode}
		ip -s -d link show "$ib"
		ethtool -S "$ib"
		ethtool "$ib"
		for what in show peers groups conns counters; do
			"$ipoib" "$what" "$ib"
		done
	done
}

rounds()
{
	local i

	for ((i = 0; i < 12; i++)); do
		interface_comes up || return
		sleep 0.0$((i % 5))
		interface_goes || return
	done
}

# still_reading PID N: and has read something
still_reading()
{
	kill -0 "$1" && [ -s "$tmp/read$2" ]
}

plan 3
spare_port
ipoib=${OUTPUT:-$here}/ipoib
export -f read_all
export ib debug ipoib
for n in 1 2; do
	background bash -c "read_all > '$tmp/read$n'"
	readers[n]=$job
done
check "a dozen rounds" rounds
check "one reader reads on" still_reading "${readers[1]}" 1
check "and the other" still_reading "${readers[2]}" 2
