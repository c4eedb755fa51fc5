#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
#
# UDP datagrams of many sizes, fragmented ones among them, arrive whole.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

same()
{
	cmp "$tmp/sent" "$tmp/received"
}

# arrives SIZE: sends it and waits for it
arrives()
{
	head -c "$1" /dev/urandom > "$tmp/datagram"
	cat "$tmp/datagram" >> "$tmp/sent"
	in_ns "$h1" socat -u -b 65536 "$tmp/datagram" "UDP4:10.0.0.2:7000" &&
		eventually same
}

plan 6
two_hosts
background ip netns exec "$h2" socat -u -b 65536 UDP4-RECV:7000 \
	"CREATE:$tmp/received"
setup eventually receives "$h2" 7000
for size in 1 100 1472 4064 4065 65507; do
	check "$size octets" arrives $size
done
