#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs like mlx5 make and check sums, cut TCP segments, and take data with the work
# request; others refuse all that.
. "$(dirname "$0")/lib.sh"

# holds CASE [FROM TO]
holds()
{
	echo "$1 ibdevsim${2-1} ibdevsim${3-2}" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

# cannot CASE WHY: by a device like mthca
cannot()
{
	(echo "$1 ibdevsim3 ibdevsim4" > "${loop%/*}/case") 2> "$tmp/why"
	tee -a /dev/stderr < "$tmp/why" | grep -q "$2"
}

plan 8
fabric 1
setup load ibdevsim_loop
echo "mlx5 2" > /sys/devices/ibdevsim/new_hca
echo "mthca 2" > /sys/devices/ibdevsim/new_hca
setup eventually all_active
check "sums are made, and checked" holds checksums
check "a segment is cut" holds segments
check "but for what cannot be" holds no_segments
check "data in the work request" holds inline_data
check "without the word for it: nothing of the kind" holds no_offloads 0 0
check "mthca cuts no segments" cannot segments "not supported"
check "and takes no data" cannot inline_data "Invalid argument"
check "nor does it moderate" cannot moderation "not supported"
