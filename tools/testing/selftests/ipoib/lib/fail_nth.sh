# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Operations of which one allocation fails: first the one, then the other, each as the
# only one. For a kernel that can have single allocations fail.
#
# shellcheck disable=SC2154 # from ../lib.sh

# What the kernel says of those that are its own, and where they were
# shellcheck disable=SC2034 # for ../lib.sh
expected='Call Trace|\] +(\? )?[^ ]+\+0x[0-9a-f]+/0x|unreliable refcount tracker'
expected+='|cannot start the link|no connections: |no IPoIB'
expected+='|kmemleak: Cannot allocate a scan area'

# each_fails OPERATION UNDO THERE [FIRST [STEP]]: an operation is FILE=WORDS, to be written at
# once, or MODULE.ko=OPTIONS, or -MODULE; THERE is a file that exists when it has been
# done, or FILE=WORDS that it then says. It is one system call, and all that it takes has
# been done before; what it allocates before the FIRST does not fail, and from then on each
# STEPth does.
# shellcheck disable=SC2016 # perl expands it
each_fails='
use Errno qw(EAGAIN EBUSY);
use Fcntl qw(O_NONBLOCK);
my ($delete_module, $finit_module) = (176, 313);
my ($op, $undo, $there, $first, $step) = @ARGV;
my ($nth, %why);

sub open_it { open(my $f, $_[1], $_[0]) or die "$_[0]: $!\n"; $f }

sub prepare {
	my ($file, $words) = split /=/, $_[0], 2;
	return sub { syscall($delete_module, substr($file, 1), O_NONBLOCK) }
		if $file =~ /^-/;
	my $f = open_it($file, $file =~ /\.ko$/ ? "<" : ">");
	return sub { syscall($finit_module, fileno $f, $words, 0) } if $file =~ /\.ko$/;
	return sub { syswrite($f, $words) // -1 };
}

sub arm { syswrite($nth, $_[0]) // die "fail-nth: $!\n" }

sub is_there {
	my ($file, $words) = split /=/, $there, 2;
	return -e $file unless defined $words;
	my $f = open_it($file, "<");
	return <$f> =~ /^\Q$words\E$/;
}

# What is tried again may be there a little later.
sub comes {
	for (1 .. 600) {
		return 1 if is_there();
		select undef, undef, undef, 0.1;
	}
	0;
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

$first ||= 1;
for (my $n = $first; $n < $first + 5000; $n += $step || 1) {
	my $run = prepare($op);
	# A second reading would be past the end.
	$nth = open_it("/proc/thread-self/fail-nth", "+<");
	arm($n);
	my $done = $run->() >= 0;
	my $errno = $!;
	sysread($nth, my $left, 20);
	arm(0);
	die "$n: it is half there: $errno\n" if is_there() && !$done;
	if ($done && !is_there()) {
		comes() or die "$n: it is not there\n";
		$why{"it comes later"}++;
	}
	$why{$errno}++ unless $done;
	undo() if $done;
	die "$n: undone, and still there\n" if is_there();
	if ($left > 0) {
		die "nothing was allocated\n" unless $n > $first;
		die "$n: it fails for another reason: $errno\n" unless $done;
		print $n - $first, " allocations", (map { "; $why{$_} times: $_" } keys %why), "\n";
		exit;
	}
}
die "there is no end of it\n";'

# needs_fail_nth: call it before plan
needs_fail_nth()
{
	# The numbers of system calls are those of one architecture.
	[ -e /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ] &&
		[ -d /sys/kernel/debug/fail_page_alloc ] &&
		[ "$(uname -m)" = x86_64 ] && return
	echo "1..0 # SKIP no fault injection here, or not on x86-64"
	exit 4
}

# fault KIND FILE WORD: until the end
fault()
{
	local file=/sys/kernel/debug/$1/$2

	defer sh -c "echo $(< "$file") > $file"
	echo "$3" > "$file"
}

# allocations_may_fail: those of slabs; scripts/after-test.sh is told, too
allocations_may_fail()
{
	echo "$each_fails" > "$tmp/each_fails"
	setup fault failslab ignore-gfp-wait N
	setup fault failslab verbose 0
	setup fault fail_page_alloc ignore-gfp-wait Y
	defer sh -c "echo '$test_name: allocations are to succeed' > /dev/kmsg"
	echo "$test_name: allocations are to fail" > /dev/kmsg
}

# check_each WHAT COMMAND... -- OPERATION UNDO THERE [FIRST [STEP]]: run by the command
check_each()
{
	local what=$1 by=()

	shift
	while [ "$1" != -- ]; do
		by+=("$1")
		shift
	done
	check "$what" "${by[@]}" perl "$tmp/each_fails" "${@:2}" || return
	note "$what: $(tail -n 1 "$tmp/check.log")"
}

# until_init MODULE.ko OPTIONS: how many allocations there are before its initialisation,
# which refuses the options; a few less, as they are not always as many
until_init()
{
	perl -e 'open(my $nth, "+<", "/proc/thread-self/fail-nth") or die;
		open(my $f, "<", $ARGV[0]) or die;
		# The first time the file is read, too.
		syscall(313, fileno $f, $ARGV[1], 0);
		syswrite($nth, 100000) or die;
		my $loaded = syscall(313, fileno $f, $ARGV[1], 0);
		sysread($nth, my $left, 20);
		syswrite($nth, 0);
		die "it has been loaded" if $loaded >= 0;
		print 100000 - $left - 5' "$@"
}

# allocations_of FILE=WORDS: how many there are when they are written; a few less, as they
# are not always as many
allocations_of()
{
	perl -e 'my ($file, $words) = split /=/, $ARGV[0], 2;
		open(my $nth, "+<", "/proc/thread-self/fail-nth") or die;
		open(my $f, ">", $file) or die;
		syswrite($nth, 100000) or die;
		my $written = syswrite($f, $words);
		sysread($nth, my $left, 20);
		syswrite($nth, 0);
		die "not written" unless $written;
		print 100000 - $left - 5' "$@"
}
