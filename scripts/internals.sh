#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does ipoib-internals.rst keep up with the driver? What it names has to be there: functions,
# structures, and members of those. Comments do not count: they may name what has gone as well.
# And it has to name every lock and every work function, to have every time in its table, and every
# header with kernel-doc in its list.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
text=Documentation/infiniband/ipoib-internals.rst
mapfile -t code < <(printf '%s\n' drivers/infiniband/ulp/ipoib/*.[ch] | grep -v '\.mod\.c$')
status=0

# The kernel's own, which the driver does not call by these names
others=(icmp_send netdev_run_todo)

complain()
{
	echo "$text: $*"
	status=1
}

# bare - the code without comments
bare()
{
	perl -0pe 's{/\*.*?\*/}{ }gs' "${code[@]}"
}

# members [TYPES] - STRUCT.MEMBER of all structures, or of members of these types
members()
{
	awk -v types="${1-}" '
		/^struct [a-z_]+ \{/	{ name = $2 }
		/^}/			{ name = "" }
		name && /^\t/ && $0 ~ types {
			sub(/[;[].*/, "")
			sub(/\).*/, "")		# the name of a function pointer stands before that
			sub(/.*[^a-z_0-9]/, "")
			print name "." $0
		}' "${code[@]}"
}

while read -r name; do
	complain "there is no $name()"
done < <(
	grep -oE '\b[a-z_][a-z_0-9]*\(\)' "$text" | tr -d '()' | sort -u |
		grep -vxFf <(printf '%s\n' "${others[@]}"; bare | grep -oE '\b[a-z_][a-z_0-9]*\b')
)

while read -r name; do
	grep -qE "^$name \{" "${code[@]}" || complain "there is no $name"
done < <(grep -oE '\b(struct|enum) ipoib_[a-z_]+' "$text" | sort -u)

all=$(members)
while read -r name; do
	grep -qxF -- "$name" <<< "$all" || complain "there is no $name"
done < <(grep -oE '``ipoib_[a-z_]+\.[a-z_]+' "$text" | tr -d '`' | sort -u)

while read -r name; do
	grep -qw -- "$name" "$text" || complain "nothing is said of the lock $name"
done < <(
	members '^\t(spinlock_t|struct mutex) '
	sed -nE 's/^static DEFINE_(SPINLOCK|MUTEX)\((.*)\);/\2/p' "${code[@]}"
)

while read -r name; do
	grep -qw -- "$name" "$text" || complain "nothing is said of $name()"
done < <(sed -nE 's/^static void ([a-z_0-9]+)\(struct work_struct \*work\)$/\1/p' "${code[@]}" | sort -u)

have=$(grep -lx '/\*\*' "${code[@]}" | grep '\.h$' | sort)
said=$(sed -n 's/^\.\. kernel-doc:: //p' "$text" | sort)
while read -r file; do
	complain "does not list $file"
done < <(comm -23 <(echo "$have") <(echo "$said"))
while read -r file; do
	complain "lists $file, which has no kernel-doc"
done < <(comm -13 <(echo "$have") <(echo "$said"))

# constants - NAME FILE VALUE of each number that is a #define, times with their unit, and of each
# back-off. An exclamation mark before it: that is a time.
constants()
{
	perl -0 -e '
	my %known = (HZ => 1000, USEC_PER_SEC => 1e6, MSEC_PER_SEC => 1000, NAPI_POLL_WEIGHT => 64);
	my (%value, @names);

	# An expression, in milliseconds if it is a time
	sub number {
		my $file = shift;
		local $_ = shift;
		s/\bmsecs_to_jiffies\b|(?<=\d)u\b//g;
		s{\b[A-Z]\w*\b}{
			$known{$&} // number($file, $value{$file}{$&} // $value{h}{$&} // "?")
		}ge;
		return m{^[\d ()*/+.-]+$} ? eval : "?";
	}

	sub with_unit {
		my ($ms) = @_;
		return $ms eq "?" ? "?" : $ms % 1000 ? "$ms ms" :
			$ms < 1 ? $ms * 1000 . " us" : $ms / 1000 . " s";
	}

	while (<>) {
		my ($file) = $ARGV =~ m{([^/]*)$};
		s{/\*.*?\*/}{ }gs;
		while (/^#define[ \t]+(\w+)[ \t]+(\S.*?)[ \t]*$/mg) {
			push @names, [$1, $file];
			$value{$file}{$1} = $value{substr $file, -1}{$1} = $2;
		}
		while (/struct ipoib_backoff (\w+) = \{\s*\.min_ms = (\w+),\s*\.max_ms = (\w+),/g) {
			print "!$1 $file ", with_unit($2), " to ", with_unit(number($file, $3)), "\n";
		}
	}
	for (@names) {
		my ($name, $file) = @$_;
		my $n = number($file, $value{$file}{$name});

		if ("$name $value{$file}{$name}" =~ /_[MU]S\b|\bHZ\b|msecs/) {
			$n /= 1000 if $name =~ /_US$/;
			print "!$name $file ", with_unit($n), "\n";
		} elsif ($n ne "?") {
			print "$name $file $n\n";
		}
	}' "${code[@]}"
}

# rows - the same, of the table of times and limits
rows()
{
	sed -n '/^Times and limits$/,/^Kernel differences$/p' "$text" | awk -F '   *' '
	/^==* /		{ borders++ }
	borders == 2 && /^[A-Za-z]/ {
		if (sub(/ KiB$/, "", $2))
			$2 *= 1024
		if (sub(/ MiB$/, "", $2))
			$2 *= 1024 * 1024
		print $1, $3, $2
	}'
}

have=$(constants | sort) && said=$(rows | sort) || exit 1
while read -r row; do
	complain "is said of times and limits, and not so: $row"
done < <(comm -13 <(tr -d '!' <<< "$have" | sort) <(echo "$said"))
while read -r row; do
	complain "nothing is said of the time $row"
done < <(comm -23 <(sed -n 's/^!//p' <<< "$have" | sort) <(echo "$said"))
exit $status
