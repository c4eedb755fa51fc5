#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several LIDs for each port.
. "$(dirname "$0")/lib.sh"

all_answer()
{
	local base i

	base=$(lid_of ibdevsim1)
	for i in 0 1 2 3 4 5 6 7; do
		smpquery -C ibdevsim0 nodedesc $((base + i)) || return
		perfquery -C ibdevsim0 $((base + i)) 1 || return
	done
}

plan 2
fabric 2 -l 3
check "the LMC is 3" grep -x 3 /sys/class/infiniband/ibdevsim1/ports/1/lid_mask_count
check "each of eight LIDs is answered for" eventually all_answer
