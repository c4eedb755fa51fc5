#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# An interface has few buffers for datagrams, and more once a burst has used half of them before it
# was polled; until its link goes. Host 2 is polled when there are 64 packets.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# posted N: by host 2, but those that make no batch
posted()
{
	local now

	now=$(status "$rdma2" buffers_posted)
	echo "$now"
	[ "$now" -gt $(($1 - 16)) ] && [ "$now" -le "$1" ]
}

# burst: what is lost of it does not matter
burst()
{
	in_ns "$h1" ping -q -i 0 -l 200 -c 200 -w 2 10.0.0.2 > "$tmp/burst"
	posted 256
}

renewed_link()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

plan 5
ib_hosts 2
setup eventually ping_all "$h1" 10.0.0.2 -w 2
check "there are few" posted 64
setup ping_all "$h1" 10.0.0.2 -i 0 -c 200
check "they are enough for one packet at a time" posted 64
setup in_ns "$h2" ethtool -C ib0 adaptive-rx off rx-usecs 10000 rx-frames 64
check "a burst makes them more" eventually burst
check "which arrives then" ping_all "$h1" 10.0.0.2 -i 0 -l 32 -c 200
setup renewed_link
check "another link has few again" eventually posted 64
