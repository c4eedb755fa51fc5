#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every static check. All of them run; one that fails shows why.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/need.sh" build lint || exit 1
src=$(kernel_source) || die "cannot unpack the kernel source"
cd "$top" || exit 1

# files PATTERN... - the tree's files of these names, not what kbuild makes
files()
{
	local p names=()

	for p; do
		names+=(-o -name "$p")
	done
	find . -path ./.git -prune -o -name '*.mod.c' -o -type f \
		\( "${names[@]:1}" \) -print | sort
}

mapfile -t c_files < <(files '*.c' '*.h')
mapfile -t text_files < <(files '*.[chS]' '*.sh' '*.rst' '*.md' '*.conf' vm '*-guest' vm-init run complaints \
	Makefile Kbuild 'Kconfig*' .clang-format .gitignore)
mapfile -t shell_files < <(grep -l '^#!/bin/.*sh$' "${text_files[@]}")

build()
{
	make -s -j"$(nproc)" modules
}

# Without -Wsparse-error sparse warns and reports success.
sparse()
{
	make -s -j"$(nproc)" modules C=2 CF='-D__CHECK_ENDIAN__ -Wsparse-error'
}

# ignored FILE - what checkpatch takes there for what it is not
ignored()
{
	case $1 in
	# The parts of a TRACE_EVENT are no function calls.
	*/trace.h) echo OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT ;;
	# Lists of counters, as macros that take a macro: no expressions.
	*/stats.[ch]) echo COMPLEX_MACRO,MACRO_ARG_REUSE ;;
	# __has_include(<a/b.h>) is no expression either.
	*/include/compat/*) echo SPACING ;;
	*) echo NONE ;;
	esac
}

checkpatch_file()
{
	perl "$src/scripts/checkpatch.pl" --no-tree --strict --terse --showfile \
		--no-summary --ignore "$(ignored "$1")" -f "$1"
}

checkpatch()
{
	export src
	export -f ignored checkpatch_file
	# shellcheck disable=SC2016	# the shell that xargs starts expands it
	printf '%s\0' "${c_files[@]}" |
		xargs -0 -n 1 -P "$(nproc)" bash -c 'checkpatch_file "$1" || exit 1' _
}

kernel_doc()
{
	perl "$src/scripts/kernel-doc" -none -Werror "${c_files[@]}"
}

# What a library reads in is checked with it: it relies on the library's variables.
shellcheck_all()
{
	# It reads the library anew for each test: a dozen at once, on each CPU.
	printf '%s\0' "${shell_files[@]}" |
		xargs -0 -n 12 -P "$(nproc)" shellcheck -x -P SCRIPTDIR &&
	shellcheck -x -a -P SCRIPTDIR scripts/{common,witness}.sh \
		tools/testing/selftests/{*/lib,ipoib/lib/events,ipoib/lib/fail_nth}.sh
}

layers()
{
	scripts/layers.sh
}

# Does the pattern that tests are judged by find what it should, and no more?
complaints()
{
	local line status=0

	# shellcheck source=witness.sh
	. scripts/witness.sh
	while IFS= read -r line; do
		case $line in
		'#'*)	;;
		-*)	! complains <(echo "${line#-}") || {
				echo "found, and harmless: $line"
				status=1
			} ;;
		*)	complains <(echo "$line") || {
				echo "not found by witness.sh: $line"
				status=1
			} ;;
		esac
	done < tools/testing/selftests/checkers/complaints
	return $status
}

spdx()
{
	local f status=0

	for f in "${text_files[@]}"; do
		head -n 3 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0' && continue
		echo "$f: no SPDX line"
		status=1
	done
	return $status
}

spelling()
{
	codespell -q 3 -L nd "${text_files[@]}"
}

failed=()
for gate in build sparse checkpatch kernel_doc shellcheck_all layers complaints spdx spelling; do
	if output=$($gate 2>&1); then
		echo "ok   $gate"
	else
		echo "FAIL $gate"
		printf '%s\n' "$output" | sed 's/^/     /'
		failed+=("$gate")
	fi
done
[ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
