#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# Receive buffers of connections are made with the first one, shared by all, and
# freed with the last.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# 96 buffers of 64 KiB, in four pages and three blocks each, or more pieces if memory is scattered
buffers=672

# freed: pages and blocks that have been freed
freed()
{
	awk '$1 == "rxpage" { print $3 }' "$objects"
}

buffers_freed()
{
	[ $(($(freed) - before)) -ge $buffers ]
}

# one_closes: the oldest that is live
one_closes()
{
	cmpeer close "$(peers state=established | head -n 1 | cut -d ' ' -f 1)"
}

plan 8
two_hosts
setup one_queue 1
setup connected "rc uc" 1
setup cm_peers
for round in first second; do
	before=$(freed)
	setup ask_host 1 qpn=0x100
	setup ask_host 1 qpn=0x200 transport=uc
	setup eventually peers_are 2 state=established
	setup one_closes
	check "the $round time: one of two is closed" \
		eventually connections_are 1 1
	check "their buffers are there" [ "$(freed)" -eq "$before" ]
	setup one_closes
	check "the last one is closed" eventually connections_are 1 0
	check "so are their buffers" eventually buffers_freed
done
