#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which lines of the drivers the tests run, all of them together: a table, and in
# build/coverage each file with a count before each line. On the debug kernel.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/need.sh" debug || exit 1
raw=$(mktemp -d "${TMPDIR:-/tmp}/ipoib-coverage.XXXXXX") || exit 1
trap 'rm -rf "$raw"' EXIT

CHECKER=kasan COVERAGE=$raw "$top/scripts/check.sh"
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
			file !~ /_kunit|\.mod\.c/
	}
	next
}
wanted {
	line = $2 + 0
	if (line > last[file])
		last[file] = line
	text[file, line] = substr($0, index($0, ":" $2 ":") + length($2) + 2)
	if ($1 !~ /-/) {
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
			printf "%-40s %5d %5d %6.1f %%\n", f, lines, run, 100 * run / lines
	}
}' "$raw/lines" | LC_ALL=C sort > "$raw/table"
echo
printf '%-40s %5s %5s %8s\n' file lines run share
cat "$raw/table"
awk '{
	lines += $2
	run += $3
}
END {
	if (lines)
		printf "%-40s %5d %5d %6.1f %%\n", "all", lines, run, 100 * run / lines
}' "$raw/table"
echo "Line by line: $out"
[ -s "$raw/table" ] || cat "$raw/gcov.log"
exit $status
