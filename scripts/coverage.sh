#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which lines of the drivers the tests run, all of them together: a table, and in
# build/coverage each file with a count before each line. On a kernel without KASAN,
# lockdep and kmemleak. Fails if a file has too few; with TESTS, which runs fewer, only
# those that fail count.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/packages.sh" debug || exit 1
raw=$(mktemp -d "${TMPDIR:-/tmp}/ipoib-coverage.XXXXXX") || exit 1
trap 'rm -rf "$raw"' EXIT

COVERAGE=$raw "$top/scripts/run-tests.sh" gcov
status=$?

# What each machine counted of each object, beside what the compiler wrote of it
out=$top/build/coverage
mkdir -p "$out" && rm -f "$out"/*
while read -r counts; do
	object=/${counts#"$raw"/*/}
	cp "${object%.gcda}.gcno" "${counts%.gcda}.gcno" &&
	(cd "${counts%/*}" && gcov -t "${counts##*/}")
done < <(find "$raw" -name '*.gcda') > "$raw/lines" 2> "$raw/gcov.log"

# COUNT:LINE:TEXT, and for line 0 Source:FILE. A file that several objects include
# has been run where one of them ran it.
awk -F : -v top="$top/" -v out="$out" '
$2 + 0 == 0 {
	if ($3 == "Source") {
		file = $4
		while (sub(/[^\/]*\/\.\.\//, "", file))
			;
		wanted = sub("^.*/?drivers/infiniband/", "", file) &&
			file !~ /\/tests\/|\.mod\.c/
	}
	next
}
wanted {
	line = $2 + 0
	if (line > last[file])
		last[file] = line
	text[file, line] = substr($0, index($0, ":" $2 ":") + length($2) + 2)
	# The end of a function is code where the compiler made it one of its own.
	if ($1 !~ /-/ && text[file, line] !~ /^}/) {
		code[file, line] = 1
		runs[file, line] += $1 + 0
	}
}
END {
	for (f in last) {
		lines = run = 0
		copy = f ".gcov"
		gsub("/", "-", copy)
		for (l = 1; l <= last[f]; l++) {
			count = "-"
			if ((f, l) in code) {
				lines++
				run += runs[f, l] > 0
				count = runs[f, l] ? runs[f, l] : "#####"
			}
			printf "%9s:%5d:%s\n", count, l, text[f, l] > (out "/" copy)
		}
		if (lines)
			print f, lines, run
	}
}' "$raw/lines" | LC_ALL=C sort > "$raw/table"

# Pure code has unit tests for all that it does.
ground=$(for dir in ulp/ipoib sw/ibdevsim; do
	for name in $("$top/scripts/layers.sh" "$top/drivers/infiniband/$dir" pure); do
		echo "$dir/$name"
	done
done)

# Lines are indented as .rst wants them.
echo
awk -v ground="$ground" '
BEGIN {
	n = split(ground, names)
	for (i = 1; i <= n; i++)
		pure[names[i]]
	printf "  %-28s %5s %5s %8s %6s\n", "file", "lines", "run", "share", "above"
}
{
	name = $1
	sub(/\.[ch]$/, "", name)
	limit = name in pure ? 95 : 80
	share = 100 * $3 / $2
	below = share <= limit
	printf "  %-28s %5d %5d %6.1f %% %4d %%%s\n", $1, $2, $3, share, limit,
		below ? "  <" : ""
	lines += $2
	run += $3
	failed += below
}
END {
	if (!lines)
		exit 1
	printf "  %-28s %5d %5d %6.1f %%\n", "all", lines, run, 100 * run / lines
	exit failed > 0
}' "$raw/table" || [ -n "${TESTS-}" ] || status=1
echo
echo "Line by line: $out"
[ -s "$raw/table" ] || { cat "$raw/gcov.log"; exit 1; }
exit $status
