#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 64 MiB through TCP in each direction arrive as they were sent.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# transfer FROM TO ADDRESS
transfer()
{
	local sent received

	in_ns "$2" timeout 120 socat -u TCP6-LISTEN:5001,reuseaddr - |
		md5sum > "$tmp/received" &
	eventually listens "$2" 5001 || return
	head -c 64M /dev/urandom | tee >(md5sum > "$tmp/sent") |
		in_ns "$1" timeout 120 socat -u -b 262144 - "TCP:$3:5001" || return
	wait $!
	eventually [ -s "$tmp/sent" ] || return
	sent=$(< "$tmp/sent") received=$(< "$tmp/received")
	echo "sent $sent, received $received"
	[ "$sent" = "$received" ]
}

plan 2
two_hosts
check "host 1 to host 2" transfer "$h1" "$h2" 10.0.0.2
check "host 2 to host 1, over IPv6" transfer "$h2" "$h1" '[fd00::1]'
