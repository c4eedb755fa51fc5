# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What is mapped for DMA and never unmapped, for both suites: with swiotlb=force each mapping
# takes room elsewhere, and keeps it until then. Without, nothing is seen.

# mapped: slots of 2 KiB that mappings take
mapped()
{
	cat /sys/kernel/debug/swiotlb/io_tlb_used 2> /dev/null || echo 0
}

# count_mapped: from now on there are to be no more
count_mapped()
{
	mapped_before=$(mapped)
}

all_unmapped()
{
	local now

	now=$(mapped)
	echo "$now slots are mapped, $mapped_before before"
	[ "$now" -le "$mapped_before" ]
}
