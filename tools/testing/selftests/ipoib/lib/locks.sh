# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which locks come from another CPU than the one that takes them, by the statistics of lockdep: for
# the kernel "lockstat", which has them, and does not hide the addresses that tell whose a lock is.
#
# shellcheck disable=SC2154 # from ../lib.sh

# sends CPU NS ADDRESS N: for each octet that it reads it sends a datagram, and writes an octet
sends()
{
	# shellcheck disable=SC2016 # perl expands them
	timeout "$minute" taskset -c "$1" nsenter --net="/run/netns/$2" perl -MSocket -e '
		socket my $s, PF_INET, SOCK_DGRAM, 0 or die "socket: $!";
		connect $s, sockaddr_in 9, inet_aton $ARGV[0] or die "connect: $!";
		for (1 .. $ARGV[1]) {
			sysread STDIN, my $turn, 1 or die "read: $!";
			send $s, "x" x 64, 0 or die "send: $!";
			syswrite STDOUT, $turn or die "write: $!";
		}' "$3" "$4"
}

# send_in_turn NS ADDRESS ADDRESS N: CPU 0 sends one datagram to the first, then CPU 1 one to the
# second, N times. A lock that both take comes from the other CPU each time, however they are
# scheduled; so do those of the two pipes by which they wake each other.
send_in_turn()
{
	local first turn_of_0 turn_of_1

	rm -f "$tmp"/turn_of_[01]
	mkfifo "$tmp"/turn_of_{0,1} || return
	exec {turn_of_0}<> "$tmp/turn_of_0" {turn_of_1}<> "$tmp/turn_of_1"
	sends 0 "$1" "$2" "$4" <&"$turn_of_0" >&"$turn_of_1" &
	first=$!
	echo -n . >&"$turn_of_0"
	sends 1 "$1" "$3" "$4" <&"$turn_of_1" >&"$turn_of_0" && wait $first
}

# count_locks COMMAND...: those that are taken meanwhile, into $tmp/locks: for each class its name;
# how often one was taken; how often it came from another CPU, or was waited for; and "ours" or "-".
# Ours are those that the module has made, and the TX locks of interfaces like its own.
count_locks()
{
	local status

	echo 0 > /proc/lock_stat
	"$@"
	status=$?
	cat /proc/lock_stat > "$tmp/lock_stat"
	# shellcheck disable=SC2016 # perl expands them
	perl -e '
		my (@at, %ours, $symbol, $module);
		sub lines { open my $file, "<", shift or die "no locks: $!"; <$file> }

		# The key of a class lies in a symbol of who has made it, or in a lock that is one.
		for (lines "/proc/kallsyms") {
			push @at, [hex $1, 0, $2 // ""] if /^(\w+) \w \S+(?:\t\[(\w+)\])?$/;
		}
		for (lines "/proc/lockdep") {
			my ($address, $name) = /^(\w+): (.+)$/ or next;
			# The statistics have room for so much of it.
			push @at, [hex $address, 1, substr($name, 0, 37) =~ s/(#\d)\d+$/$1/r];
		}
		for (sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @at) {
			my ($address, $is_key, $name) = @$_;
			if (!$is_key) {
				($symbol, $module) = ($address, $name);
			} elsif ($module eq "ipoib" && $address - $symbol < 256) {
				$ours{$name} = 1;
			}
		}
		for (lines shift) {
			my ($name, $numbers) = /^\s*(\S.*):((?:\s+[\d.]+){12})$/ or next;
			my @n = split " ", $numbers;
			print join("\t", $name, $n[7], $n[6] + $n[1], $ours{$name} ||
				   $name =~ /^_xmit_INFINIBAND/ ? "ours" : "-"), "\n";
		}' "$tmp/lock_stat" > "$tmp/locks" && return $status
}

# Where several classes have one name, as those of an interface and its child, all but the first
# have a number behind it.
# is_class: of awk, whether a line is of such a class
# shellcheck disable=SC2016 # awk expands it
is_class='function is_class(name) { return $1 == name || index($1, name "#") == 1 }'

# taken NAME N: of such a class, which is ours, so many or more
taken()
{
	awk -F '\t' -v name="$1" -v n="$2" "$is_class"'
		is_class(name) { print; if ($2 >= n && $4 == "ours") found = 1 }
		END { exit !found }' "$tmp/locks"
}

# crossed NAME N: of such a class so many, or more, came from the other CPU
crossed()
{
	awk -F '\t' -v name="$1" -v n="$2" "$is_class"'
		is_class(name) { print; if ($3 >= n) found = 1 }
		END { exit !found }' "$tmp/locks"
}

# ours_crossed_less N: of each class that is ours
ours_crossed_less()
{
	awk -F '\t' -v n="$1" '
		$4 == "ours" { print; some = 1; if ($3 >= n) many = 1 }
		END { exit !some || many }' "$tmp/locks"
}
