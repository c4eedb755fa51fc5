# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What a test has done to the kernel it ran on; for check-guest. A kernel that checks
# itself is asked for all that it knows, another one for what it says anyway.

# shellcheck source=../tools/testing/selftests/ipoib/lib/complaints.sh
. "${BASH_SOURCE[0]%/*}/../tools/testing/selftests/ipoib/lib/complaints.sh"

kmemleak=/sys/kernel/debug/kmemleak
# Does the kernel find data races? Who reads the log of another one says so.
kcsan=${kcsan-$(ls -d /sys/kernel/debug/kcsan 2> /dev/null)}
# What the test is to run in
group=/sys/fs/cgroup/test

# present - sets $now: all that a test could leave behind, a line each, processes of
# its own among it. Nothing here starts a program where it can be helped: on a kernel
# that checks itself each takes a quarter of a second, and all this is for each test.
present()
{
	local it comm

	now=$'\n'
	for it in /run/netns/* /sys/class/{infiniband,net}/* \
		/sys/module/{ib_ip*,ibdevsim*,ipoib_*}; do
		now+=$it$'\n'
	done
	while read -r it; do
		# It may have ended meanwhile.
		{ read -r comm < "/proc/$it/comm"; } 2> /dev/null || continue
		now+="process $it $comm"$'\n'
	done < $group/cgroup.procs
}

# find_more - sets $more: of what is there now, what was not when the test began
find_more()
{
	local it

	present
	more=
	while read -r it; do
		[[ $before == *$'\n'"$it"$'\n'* ]] || more+=$it$'\n'
	done <<< "${now:1:-1}"
	[ -n "$more" ]
}

# left_over SECONDS - namespaces and what is in them take a while to go
left_over()
{
	local end=$((SECONDS + $1)) more

	while find_more && [ $SECONDS -lt $end ]; do
		sleep 0.2
	done
	[ -z "$more" ] || printf '%s\n' "left over:" "$more"
}

# leaks - allocations that nothing points to any more. The debug kernel's search ends
# when it is sure.
leaks()
{
	local report

	[ -e $kmemleak ] || return
	echo scan > $kmemleak || echo "kmemleak has turned itself off"
	IFS= read -rd '' report < $kmemleak
	[ -z "$report" ] || printf '%s' "$report"
}

# races LOG - data races in which one of our modules takes part, or what it has called.
# Others are the kernel's.
races()
{
	[ -n "$kcsan" ] || return 0
	awk -v ours='\\[(ipoib(_cmpeer)?|ibdevsim(_loop)?|planted)\\]' '
		/======/ {
			if (ours_too)
				printf "%s", report
			report = ""
			ours_too = 0
			frame = 9
		}
		{ report = report $0 "\n" }
		/ by (task|interrupt)/ { frame = 0; next }
		# What soft-RoCE does to its own queues in our name is not our race.
		/\+0x[0-9a-f]+\/0x/ {
			if (++frame == 1 && /\[rdma_rxe\]/)
				frame = 9
			if (frame <= 2 && $0 ~ ours)
				ours_too = 1
		}' "$1"
}

# complains LOG - of anything that no test has provoked?
complains()
{
	[ -n "$(complaints_in "$1")" ]
}

# tainted - by a warning, an oops, a bad page or a lockup
tainted()
{
	local taint

	read -r taint < /proc/sys/kernel/tainted
	[ $((taint & (1 << 5 | 1 << 7 | 1 << 9 | 1 << 14))) -eq 0 ] ||
		echo "the kernel is tainted: $taint"
}

# lockdep_off - it gives up when it has found something, and when its tables are full
lockdep_off()
{
	local stats

	[ -e /proc/lockdep_stats ] || return
	IFS= read -rd '' stats < /proc/lockdep_stats
	[[ $stats =~ debug_locks:\ +1 ]] || printf '%s' "$stats"
}

# The log that a test is judged by begins where that of the one before has ended, so
# that nothing gets lost between them. Clearing it would lose what is said meanwhile;
# what is said while this runs may be in both.
mark=after-test marks=0
take_log()
{
	echo "$mark $((++marks))" > /dev/kmsg
	dmesg | awk -v mark="$mark $((marks - 1))\$" '
		$0 ~ mark { n = 0 }
		{ line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }'
}

# flooded LOG - has it lost its beginning?
flooded()
{
	local line

	read -r line < "$1"
	[[ $line == *"$mark "* ]] || echo "the kernel's log was flooded"
}

# Call it before the first test, ...
before_tests()
{
	mkdir $group
	echo "$mark 0" > /dev/kmsg
	# Packets of which a socket is done wait for the CPU that received them, until it
	# receives another. What hangs from their pages, kmemleak does not see.
	[ ! -e $kmemleak ] || echo 0 > /proc/sys/net/core/skb_defer_max
}

# ... when a test begins, ...
before_test()
{
	present
	before=$now
}

# after_test DIR SECONDS - ... and when it has ended: puts what is to be held against
# it into DIR/found, and fails if that is anything. So long it waits for what goes.
after_test()
{
	{
		left_over "$2"
		leaks
		take_log > "$1/dmesg"
		flooded "$1/dmesg"
		races "$1/dmesg"
		tainted
		lockdep_off
		! complains "$1/dmesg" || echo "the kernel complains"
	} > "$1/found"
	[ -s "$1/found" ] || return 0
	cat "$1/dmesg" >> "$1/found"
	return 1
}

# as_expected LOG REPORT - is each fault that was planted, by a test with that log, in
# the report?
as_expected()
{
	local regex status=1

	while read -r regex; do
		if grep -qE "$regex" "$2"; then
			status=0
		else
			echo "# not caught, or not put down to this test: $regex"
			return 1
		fi
	done < <(sed -n 's/^# expect: //p' "$1")
	return $status
}
