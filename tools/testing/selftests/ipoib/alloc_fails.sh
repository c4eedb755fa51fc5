#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Of all that an operation allocates, first the one fails, then the other, each as the
# only one. The operation then fails and leaves nothing behind, or does without. It
# needs a kernel that can have single allocations fail.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What the kernel says of those that are its own, and where they were
expected='Call Trace|unreliable refcount tracker|kmemleak: Cannot allocate a scan area'
net=/sys/class/net/ib0
failslab=/sys/kernel/debug/failslab

# each_fails OPERATION UNDO THERE: an operation is FILE=WORDS, to be written at once;
# THERE is a file that exists when it has been done, or FILE=WORDS that it then says. It
# is one system call, and all that it takes has been done before.
# shellcheck disable=SC2016 # perl expands it
each_fails='
use Errno qw(EAGAIN EBUSY);
my ($op, $undo, $there) = @ARGV;
my ($nth, %why);

sub open_it { open(my $f, $_[1], $_[0]) or die "$_[0]: $!\n"; $f }

sub prepare {
	my ($file, $words) = split /=/, $_[0], 2;
	my $f = open_it($file, ">");
	return sub { syswrite($f, $words) // -1 };
}

sub arm { syswrite($nth, $_[0]) // die "fail-nth: $!\n" }

sub is_there {
	my ($file, $words) = split /=/, $there, 2;
	return -e $file unless defined $words;
	my $f = open_it($file, "<");
	return <$f> =~ /^\Q$words\E$/;
}

sub undo {
	my $run = prepare($undo);
	for (1 .. 600) {
		return if $run->() >= 0;
		die "undo: $!\n" unless $! == EAGAIN || $! == EBUSY;
		select undef, undef, undef, 0.1;
	}
	die "undo: $!\n";
}

for (my $n = 1; $n < 5000; $n++) {
	my $run = prepare($op);
	# A second reading would be past the end.
	$nth = open_it("/proc/thread-self/fail-nth", "+<");
	arm($n);
	my $done = $run->() >= 0;
	my $errno = $!;
	sysread($nth, my $left, 20);
	arm(0);
	die "$n: it is half there: $errno\n" if is_there() && !$done;
	die "$n: it is not there\n" if $done && !is_there();
	$why{$errno}++ unless $done;
	undo() if $done;
	die "$n: undone, and still there\n" if is_there();
	if ($left > 0) {
		die "$n: it fails for another reason: $errno\n" unless $done;
		print $n - 1, " allocations", (map { "; $why{$_} times: $_" } keys %why), "\n";
		exit;
	}
}
die "there is no end of it\n";'

# check_each WHAT OPERATION UNDO THERE: on host 1
check_each()
{
	check "$1" in_sysfs "$h1" perl "$tmp/each_fails" "${@:2}" || return
	note "$1: $(tail -n 1 "$tmp/check.log")"
}

plan 4
[ -d $failslab ] || { note "no $failslab"; exit 4; }
echo "$each_fails" > "$tmp/each_fails"
old=$(< $failslab/ignore-gfp-wait)
defer sh -c "echo $old > $failslab/ignore-gfp-wait"
echo N > $failslab/ignore-gfp-wait
echo 0 > $failslab/verbose
defer sh -c "echo '$test_name: allocations are to succeed' > /dev/kmsg"
echo "$test_name: allocations are to fail" > /dev/kmsg
ib_fabric 1
setup host 1
setup eventually has_carrier "$h1"
check_each "the mode" $net/mode=connected $net/mode=datagram $net/mode=connected
check_each "a child" $net/create_child=0x8001 $net/delete_child=0x8001 \
	/sys/class/net/ib0.8001
setup ip -n "$h1" link set ib0 down
check_each "the interface comes up" $net/flags=0x1003 $net/flags=0x1002 \
	$net/flags=0x1003
setup ip -n "$h1" link set ib0 up
check "it has a carrier again" eventually has_carrier "$h1"
