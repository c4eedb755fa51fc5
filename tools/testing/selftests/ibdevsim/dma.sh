#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With swiotlb=force a device has memory of its own: what was not handed over is not there,
# and what is never unmapped is missed. Without, it is there by luck, as without an IOMMU.
. "$(dirname "$0")/lib.sh"

holds()
{
	echo "$1 ibdevsim0 ibdevsim1" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

# keeps CASE: memory of the size of its buffers; the MADs of others come and go
keeps()
{
	local before

	before=$(mapped)
	holds "$1"
	kept=$(($(mapped) - before))
	echo "$kept slots are mapped more than before"
	[ $kept -ge 20 ]
}

grep -qw swiotlb=force /proc/cmdline && forced=yes || forced=
plan $((${#forced} ? 3 : 1))
fabric 2
setup pause_sm
setup load ibdevsim_loop
if [ -z "$forced" ]; then
	check "what was not handed over is there" not holds unsynced
	exit
fi
check "what was not handed over is not there" holds unsynced
check "what was mapped is unmapped" not keeps unsynced
check "and missed if it is not" keeps never_unmapped
mapped_before=$((mapped_before + kept))
