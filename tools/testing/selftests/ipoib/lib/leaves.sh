# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Leaving groups on ibdevsim, for both suites. The RDMA core tells the subnet manager, and
# nobody waits for the answer but the removal of the HCA: 12 s if there is none. So at the end
# of a test the subnet manager lives until it has answered.

# count_leaves: from now on; what a test did to MADs is over
count_leaves()
{
	local sim=/sys/kernel/debug/ibdevsim

	echo 0 > $sim/drop_sa_ppm
	echo > $sim/mad_rules
	# SubnAdmDelete of an MCMemberRecord, and its answer
	echo class=3 method=0x15 attr=0x38 > $sim/mad_rules
	echo class=3 method=0x95 attr=0x38 > $sim/mad_rules
}

# leaves_answered: or none was counted
leaves_answered()
{
	local counts asked answered

	mapfile -t counts < /sys/kernel/debug/ibdevsim/mad_rules
	[ ${#counts[@]} -eq 2 ] || return 0
	read -r _ asked _ <<< "${counts[0]}"
	read -r _ answered _ <<< "${counts[1]}"
	echo "$answered of $asked"
	[ "$answered" -ge "$asked" ]
}
