#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: not locks, for it ends DMA_API_DEBUG when there is no memory for that
# Extended: few kernels can have allocations fail
#
# Root and a tenant do things at random to interfaces while there is little memory: for every
# other thing one allocation fails, and a share of those for work, or then of those that cannot
# wait. What fails is undone; when there is memory again, who makes new interfaces has some
# as good as ever. Meanwhile the ports are the same: ib_mad has hundreds of buffers allocated for
# a new one that cannot wait, and of one that goes uses a queue pair that it has destroyed.
#
# SEED, STORM  see lib/storm.sh

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"
# shellcheck source=lib/scarce.sh
. "$here/lib/scarce.sh"
# shellcheck source=lib/storm.sh
. "$here/lib/storm.sh"

# storms_without WHO: one as none before, and many allocations have failed, beside those of which
# either has said which
storms_without()
{
	local status named

	SEED=$((SEED + 1))
	scarce "$1" 10 && storms 300
	status=$?
	named=$(cat "$tmp/ours" "$tmp/theirs" | awk '{ n += $NF } END { print n }')
	echo "$named allocations have failed by number"
	plenty $((named + $(much 100))) > "$tmp/failed" && [ $status = 0 ] &&
		{ [ "$1" != work ] || [ "$named" -gt 0 ]; }
}

# told: what there was to tell
told()
{
	note "$(< "$tmp/failed")"
	said_in_storm
}

needs_fail_nth
STORM=${STORM:-500}
plan 7
can_be_scarce
where_it_storms
check "a storm with little memory for work" storms_without work
told
check "some of what root does was taken" some_taken ours
# The tenant may have got all interfaces by now.
check "a storm with little memory for interrupts" storms_without interrupts
told
check "some of what the tenant does was taken" some_taken theirs
all_is_well_again
