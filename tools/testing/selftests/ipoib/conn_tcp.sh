#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan profiles stock
#
# 128 MiB through TCP arrive as they were sent, most of it by connections of each transport.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

size=$(much 128M)

read -ra transports < <(transports)
plan $((2 * ${#transports[@]}))
two_hosts
for transport in "${transports[@]}"; do
	setup connected "${transport,,}" 1 2
	# One that fails, since a CPU was away for long, is made anew, with datagrams meanwhile.
	check "$transport" by_connection 1 "$((${size%M} * 3 / 4))M" \
		transfer "$h1" "$h2" 10.0.0.2 "$size"
	check "of that transport" \
		has_connection 1 "transport=$transport" state=established
done
