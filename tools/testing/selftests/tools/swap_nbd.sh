#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: stock, for our own have neither swap nor nbd
#
# A host swaps to a disk of another one, by connections, and has less memory than a program uses;
# meanwhile connections are ended and made again, and the link goes and comes. The program finds
# what it has written, and nothing was made for a connection that could wait for that disk.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

cgroup=/sys/fs/cgroup/swaps

# swaps MEGABYTES: a program writes so many and reads them, twice, with memory for a third
swaps()
{
	local before

	before=$(swapped)
	echo $(($1 * 1024 * 1024 / 3)) > $cgroup/memory.max || return
	# shellcheck disable=SC2016 # perl expands it
	within 100 sh -c "echo \$\$ > $cgroup/cgroup.procs"' && exec perl -e "$@"' sh '
		my $count = shift;
		my @written = map { pack("N", $_) x (1 << 18) } 1 .. $count;
		for (1, 2) {
			for my $n (1 .. $count) {
				$written[$n - 1] eq pack("N", $n) x (1 << 18) or die "$n differs\n";
			}
		}' "$1" || return
	echo "$(($(swapped) - before)) pages"
	[ $(($(swapped) - before)) -gt $(($1 * 256 / 2)) ]
}

# swapped: pages that came back from the disk
swapped()
{
	sed -n 's/^pswpin //p' /proc/vmstat
}

# unrest: connections end, and so does the link; a line each time that both have
unrest()
{
	while :; do
		mode datagram 1 && sleep 1 && mode connected 1 && sleep 1 &&
			ib_knob "$rdma2/link" 0 && sleep 0.5 && ib_knob "$rdma2/link" 1 && echo once
		sleep 3
	done
}

# swaps_in_unrest MEGABYTES: until connections and link have come and gone, in twenty rounds
swaps_in_unrest()
{
	local n

	for ((n = 0; n < 20; n++)); do
		swaps "$1" || return
		[ ! -s "$tmp/unrest" ] || return 0
	done
	return 1
}

needs nbd-server nbd-client
plan 4
setup modules nbd
ib_hosts 2
setup connected rc 1 2
machine 1 2
setup truncate -s 128M "$tmp/disk"
config 2 /etc/nbd-server/config <<- END
	[generic]
	[swap]
		exportname = $tmp/disk
END
setup on 2 nbd-server --config-file /etc/nbd-server/config --pid-file "$tmp/nbd"
defer sh -c "kill \$(cat $tmp/nbd)"
setup reaches 1 10.0.0.2
# The netlink family of nbd is in the first network namespace only.
setup eventually on 1 nbd-client 10.0.0.2 /dev/nbd0 -name swap -swap -nonetlink
defer on 1 nbd-client -d /dev/nbd0
setup mkswap /dev/nbd0
setup swapon /dev/nbd0
defer swapoff /dev/nbd0
setup sh -c "echo +memory > /sys/fs/cgroup/cgroup.subtree_control"
defer sh -c "echo -memory > /sys/fs/cgroup/cgroup.subtree_control"
setup mkdir $cgroup
defer rmdir $cgroup
check "a program swaps" by_connection 1 16M swaps 48
check "without I/O, for what was made" made_without_io
unrest > "$tmp/unrest" &
job=$!
# Otherwise no page would come back.
defer ib_knob "$rdma2/link" 1
defer end_job $job
check "while connections end and the link goes" swaps_in_unrest 48
check "without I/O, for those" made_without_io
