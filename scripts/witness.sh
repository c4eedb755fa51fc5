# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What a test has done to the kernel it ran on; for check-guest. A kernel that checks
# itself is asked for all that it knows, another one for what it says anyway.

complaint='WARNING:|BUG: ([^K]|K[^C])|Oops|general protection|Kernel panic|KASAN|UBSAN'
# Other data races are those of the kernel.
complaint+='|KCSAN: .*\[(ipoib(_cmpeer)?|ibdevsim(_loop)?|planted)\]'
complaint+='|INFO: task .* blocked|self-detected stall|detected stalls|possible .* deadlock'
complaint+='|ODEBUG|DMA-API:.*(device driver|[Ee]rror)|refcount_t:|ref_tracker|leaked reference'
complaint+='|suspicious RCU usage|unregister_netdevice: waiting|scheduling while atomic'
complaint+='|workqueue lockup|kobject_add_internal failed|slab .* still has|bad_page|Bad page'
kmemleak=/sys/kernel/debug/kmemleak
# What the test is to run in
group=/sys/fs/cgroup/test

# present - all that a test could leave behind, processes of its own among it
present()
{
	local pid

	printf '%s\n' /run/netns/* /sys/class/{infiniband,net}/* \
		/sys/module/{ib_ip*,ibdevsim*,ipoib_*}
	while read -r pid; do
		echo "process $pid $(< "/proc/$pid/comm")"
	done < $group/cgroup.procs
}

# left_over - of what is there now, what was not when the test began; namespaces and
# what is in them take a while to go
left_over()
{
	local end=$((SECONDS + 30)) more

	while more=$(present | grep -vxF "$before") && [ $SECONDS -lt $end ]; do
		sleep 0.2
	done
	[ -z "$more" ] || printf '%s\n' "left over:" "$more"
}

# leaks - allocations that nothing points to any more. The first scan takes down what
# they contain, the second one tells those that have not changed since and were a
# second old.
leaks()
{
	[ -e $kmemleak ] || return
	echo scan > $kmemleak || echo "kmemleak has turned itself off"
	sleep 1.1
	echo scan > $kmemleak
	cat $kmemleak
	echo clear > $kmemleak
}

# tainted - by a warning, an oops, a bad page or a lockup
tainted()
{
	local taint

	taint=$(< /proc/sys/kernel/tainted)
	[ $((taint & (1 << 5 | 1 << 7 | 1 << 9 | 1 << 14))) -eq 0 ] ||
		echo "the kernel is tainted: $taint"
}

# lockdep_off - it gives up when it has found something, and when its tables are full
lockdep_off()
{
	! grep -qs 'debug_locks: *0' /proc/lockdep_stats || cat /proc/lockdep_stats
}

# Call it when a test begins ...
witness_begin()
{
	mkdir -p $group
	before=$(present)
	dmesg -C
}

# witness_end DIR - ... and when it has ended: puts what is to be held against it into
# DIR/found, and fails if that is anything
witness_end()
{
	{
		left_over
		leaks
		dmesg > "$1/dmesg"
		! grep -qE "$complaint" "$1/dmesg" || cat "$1/dmesg"
		tainted
		lockdep_off
	} > "$1/found"
	[ ! -s "$1/found" ]
}
