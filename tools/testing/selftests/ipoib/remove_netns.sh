#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An interface that moved to a network namespace dies with it, under traffic.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# one_device_left: namespaces are taken down in the background
one_device_left()
{
	awk '$1 == "dev" { exit $2 - $3 != 1 }' "$objects"
}

plan 4
two_hosts
setup traffic
check "the namespace goes" ip netns del "$h1"
# What still runs in it keeps it alive.
for job in $(jobs -p); do
	end_job "$job"
done
check "and its interface" eventually one_device_left

setup netns "$h1"
check "the port can have another one" \
	ip link add link "$eth1" name ib0 netns "$h1" type ipoib
addresses 1
check "which reaches the other host" eventually ping_all "$h1" 10.0.0.2 -W 2
