#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# ARP requests without end, each from another address of nobody. To find out that nobody is
# there takes five seconds each time, of a hundred at once. Neighbours that are there are
# found meanwhile: by hosts that ask for them, and by the one that is asked.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What a request for host 1 consists of, but for the sender's GID: header, hardware
# InfiniBand, IPv4, addresses of 20 and 4 octets
before=0806000000200800140400010000aa00
after=0a0000c800000000000000000000000000000000000000000a000001
# Where the last two octets of the GID are
gid_end=30

# forge: for as long as it may, some hundred a second, each GID once
forge()
{
	local n=0

	while [ -e "$tmp/flood" ]; do
		inject -d "$rdma3" -a "$target" -n 50 -u $gid_end \
			-x "$before$(printf 'fe8000000000000000000000beef%04x' $n)$after" ||
			rm -f "$tmp/flood"
		n=$((n + 50))
	done
}

# many: more than are asked for at a time, and more come
many()
{
	local peers

	peers=$(counter "$h1" peers)
	echo "$peers"
	[ "$peers" -gt 200 ]
}

# found COMMAND...: not when it has come to an end
found()
{
	"$@" && [ -e "$tmp/flood" ]
}

plan 3
three_hosts
target=$(lladdr "$h1")
touch "$tmp/flood"
forge > "$tmp/forge.log" 2>&1 &
forger=$!
defer wait $forger
defer rm -f "$tmp/flood"
must "many are not there" eventually many
check "host 1 finds host 2" found ping_all "$h1" 10.0.0.2
check "host 3, from where they come, is found as well" found ping_all "$h3" 10.0.0.1
