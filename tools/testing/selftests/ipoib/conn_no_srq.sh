#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan profiles
#
# HCAs without shared receive queues: connections have buffers of their own.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# limit_is N: by itself, and at most
limit_is()
{
	in_ns "$h1" ethtool -l ib0 | tee -a /dev/stderr |
		grep -cx "Other:[[:space:]]*$1" | grep -qx 2
}

size=$(much 32M)

read -ra transports < <(transports)
plan $((1 + 2 * ${#transports[@]}))
setup bare_fabric 0
setup ib_knob no_srq Y
setup sh -c 'echo 2 > /sys/devices/ibdevsim/new_hca'
setup start_sm sm1
setup eventually subnet_is_up sm1
setup eventually ports_are ACTIVE
setup host 1 2
setup eventually is_up "$h1"
setup eventually is_up "$h2"
check "so there may be fewer" limit_is 32
for transport in "${transports[@]}"; do
	setup connected "${transport,,}" 1 2
	check "$transport" by_connection 1 300000 large "$h1" 10.0.0.2
	check "a transfer" by_connection 1 "$size" \
		transfer "$h1" "$h2" 10.0.0.2 "$size"
done
