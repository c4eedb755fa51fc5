# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the kernel says while a test runs, for both suites.

# What the stack says of a queue that was stopped for long; older kernels give a trace, too.
# shellcheck disable=SC2034 # for tests that expect it
watchdog_says='NETDEV WATCHDOG|WARNING: .*dev_watchdog|Call Trace'

# log_begins MARKER: what the kernel says from here on is about this test
log_begins()
{
	marker=$1
	echo "$marker" > /dev/kmsg
	[ -z "${expected-}" ] || echo "$marker expects $expected" > /dev/kmsg
}

# The kernel's log since the test began; fails if the start was overwritten.
kernel_log()
{
	dmesg | awk -v m="$marker" 'f; index($0, m) { f = 1 } END { exit !f }'
}

# A test may mean to provoke some: those are $expected, a pattern that is set before plan.
log_is_clean()
{
	local found

	if ! kernel_log > "$tmp/dmesg"; then
		echo "the log was flooded: its start is gone"
		return 1
	fi
	found=$(complaints_in "$tmp/dmesg")
	[ -z "$found" ] || { echo "$found"; return 1; }
}
