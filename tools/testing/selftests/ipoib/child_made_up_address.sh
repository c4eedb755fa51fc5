#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A child whose address is no GID of the port, such as systemd-networkd makes up, gets that of
# the port, and ip says so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 5
ib_hosts 1
ours=$(lladdr "$h1")
said=$(ip -n "$h1" link add link ib0 name red address "${ours:0:36}02:11:22:33:44:55:66:77" \
	type ipoib pkey 0x8001 2>&1)
check "it is made" ip -n "$h1" link show red
check "ip warns" grep "Warning: ipoib: the address is not a GID of the port, which has another" \
	<<< "$said"
check "it has the GID of the port" [ "$(lladdr "$h1" red | cut -c 13-)" = "${ours:12}" ]
check "that of a group is refused" not ip -n "$h1" link add link ib0 name blue \
	address 00:ff:ff:ff:ff:12:40:1b:80:01:00:00:00:00:00:00:ff:ff:ff:ff type ipoib pkey 0x8002
check "nothing is left of that" not ip -n "$h1" link show blue
