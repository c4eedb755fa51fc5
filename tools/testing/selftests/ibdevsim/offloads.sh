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

# arrive TYPE SIZE COUNT PACKETS [HCA HCA]: as many, and each is right
arrive()
{
	echo "$1 ibdevsim${5-1} ibdevsim${6-2} $2 $3" > $loop || return
	cat $loop
	grep -qx "received $4" $loop && grep -qx 'bad 0' $loop && grep -qx 'errors 0' $loop
}

plan 15
fabric 1
setup load ibdevsim_loop
echo "mlx5 2" > /sys/devices/ibdevsim/new_hca
echo "mthca 2" > /sys/devices/ibdevsim/new_hca
setup eventually all_active
check "sums are made, and checked" holds checksums
check "a segment is cut" holds segments
check "but for what cannot be" holds no_segments
check "data in the work request" holds inline_data
check "many messages, each with sums" arrive sum 1432 100 100
check "many messages, each cut into 16" arrive lso 64832 100 1600
check "what would leave a rest is refused" not arrive lso 64833 1 17
setup knob ibdevsim2/csum_lies 1
check "what has no right sums is no good" not arrive sum 1432 100 100
check "none of it" grep -x 'bad 100' $loop
setup knob ibdevsim2/csum_lies 0
check "an HCA without offloads makes no sums" not arrive sum 1432 1 1 0 0
check "nor does it cut" not arrive lso 64832 1 16 0 0
check "without the word for it: nothing of the kind" holds no_offloads 0 0
check "mthca cuts no segments" cannot segments "not supported"
check "and takes no data" cannot inline_data "Invalid argument"
check "nor does it moderate" cannot moderation "not supported"
