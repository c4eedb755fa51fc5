# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Memory that is short for interrupts, or for work, and for everything in them: for a kernel
# that can have allocations fail. Needs fail_nth.sh.
#
# shellcheck disable=SC2154 # from ../lib.sh

faults=/sys/kernel/debug
# More than are ever refused
most=1000000

# can_be_scarce: call it before the hosts are made, and needs_fail_nth before plan
can_be_scarce()
{
	local kind file

	allocations_may_fail
	for kind in failslab fail_page_alloc; do
		for file in probability task-filter times; do
			setup fault $kind $file "$(< $faults/$kind/$file)"
		done
		setup fault $kind verbose 0
	done
	setup fault fail_page_alloc min-order 0
	modprobe=$(< /proc/sys/kernel/modprobe)
	defer sh -c "echo '$modprobe' > /proc/sys/kernel/modprobe"
}

# workers_fail 0|1: what kworkers allocate may fail, if the filter is set. While it may, the kernel
# runs no modprobe: kworkers start it, so its allocations would fail, too, and user mode Linux
# panics when it has no memory for the page of a program that it starts.
workers_fail()
{
	local task program=

	[ "$1" = 1 ] || program=$modprobe
	echo "$program" > /proc/sys/kernel/modprobe
	for task in /proc/[0-9]*; do
		[[ $(< "$task/comm") != kworker/* ]] || echo "$1" > "$task/make-it-fail"
	done 2> /dev/null
	return 0
}

# scarce WHO PERCENT: so many allocations fail of those that cannot wait, as in "interrupts",
# pages and slabs, or "pages" only; or of all slabs that kworkers ask for, for "work"
scarce()
{
	local kind kinds="failslab fail_page_alloc" workers=N patient=Y

	case $1 in
	work)
		kinds=failslab workers=Y patient=N
		workers_fail 1
		;;
	pages) kinds=fail_page_alloc ;;
	esac
	for kind in $kinds; do
		echo $workers > "$faults/$kind/task-filter" &&
			echo $patient > "$faults/$kind/ignore-gfp-wait" &&
			echo $most > "$faults/$kind/times" &&
			echo "$2" > "$faults/$kind/probability" || return
	done
}

# plenty N: none fails any more; N at least have
plenty()
{
	local failed=0 kind

	for kind in failslab fail_page_alloc; do
		[ "$(< $faults/$kind/probability)" = 0 ] ||
			((failed += most - $(< $faults/$kind/times)))
		echo 0 > "$faults/$kind/probability" || return
	done
	workers_fail 0
	echo "$failed allocations have failed"
	[ $failed -ge "$1" ]
}

# reads_nothing NS: a program there that keeps up to 64 MB of datagrams. SO_RCVBUFFORCE is 33
reads_nothing()
{
	# shellcheck disable=SC2016 # perl expands it
	background nsenter --net="/run/netns/$1" perl -MSocket -e '
		socket my $s, PF_INET, SOCK_DGRAM, 0 or die "socket: $!";
		setsockopt $s, SOL_SOCKET, 33, pack("i", 64 << 20) or die "room: $!";
		bind $s, sockaddr_in(9, INADDR_ANY) or die "bind: $!";
		sleep'
}
