#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Feeds the parsers of the driver, compiled for user space with AddressSanitizer and
# UndefinedBehaviorSanitizer, with what libFuzzer makes of the corpora.
#
# SECONDS_EACH=15   for each target; or
# RUNS=10000000     so many inputs
# TARGETS="a b"     these only
# PLANTED=all       all faults that are planted to be found, not one of each target
# COVERAGE=yes      then prints how much of each file was run
#
# What the fuzzers found worth keeping they go on from the next time: build/fuzz/grown.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/packages.sh" fuzz || exit 1
here=$top/tools/testing/fuzz
driver=$top/drivers/infiniband/ulp/ipoib
work=$top/build/fuzz
seconds=${SECONDS_EACH:-15}
runs=${RUNS:-}
how_long="$seconds s"
[ -z "$runs" ] || how_long="$runs inputs"
flags=(-Dfuzz_one=LLVMFuzzerTestOneInput -std=gnu11 -O1 -g -Wall -Wextra
	-Wno-unused-parameter -Wno-unused-function -Werror -fno-omit-frame-pointer
	-fno-sanitize-recover=all -I"$here/include" -iquote "$here")
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

mapfile -t targets < <(cd "$here" && printf '%s\n' *_fuzz.c | sed 's/_fuzz\.c$//')
# shellcheck disable=SC2206	# words
[ -z "${TARGETS-}" ] || targets=($TARGETS)

# compile TARGET SOURCES PROGRAM [OPTION...]
compile()
{
	clang "${flags[@]}" -fsanitize=fuzzer,address,undefined "${@:4}" -iquote "$2" \
		"$here/$1_fuzz.c" -o "$3"
}

# fuzz TARGET PROGRAM ARTIFACTS [OPTION... DIRECTORY...]
fuzz()
{
	"$2" -artifact_prefix="$3." -print_final_stats=1 -verbosity=1 -max_len=1400 -timeout=10 \
		-rss_limit_mb=1000 "${@:4}" < /dev/null
}

# is_found TARGET FILE COMMAND LOG - a fault, planted into a copy
is_found()
{
	local copy=$4.src

	rm -rf "$copy"
	mkdir -p "$copy"
	ln -s "$driver"/*.[ch] "$copy"
	rm "$copy/$2"
	sed "$3" "$driver/$2" > "$copy/$2"
	if cmp -s "$driver/$2" "$copy/$2"; then
		echo "there is no such place in $2: $3"
		return 1
	fi
	compile "$1" "$copy" "$4.program" -Wno-error || return
	fuzz "$1" "$4.program" "$4.crash" -runs=4000000 -max_total_time=120 "$work/corpus/$1" \
		> "$4.log" 2>&1
	grep -qE 'ERROR: (AddressSanitizer|libFuzzer)|runtime error' "$4.log" && return
	echo "not found: $2: $3"
	return 1
}

# try_planted TARGET - prints a line that passes or fails for each
try_planted()
{
	local n=0 target file command log why

	while IFS=$'\t' read -r target file command; do
		[ "$target" = "$1" ] || continue
		log=$work/planted/$1.$((++n))
		[ $n -eq 1 ] || [ "${PLANTED-}" = all ] || break
		if why=$(is_found "$target" "$file" "$command" "$log" 2>&1); then
			echo "ok   $1 finds planted fault $n"
		else
			printf 'FAIL %s and planted fault %s\n%s\n' "$1" $n "$why"
		fi
		rm -rf "$log".{src,program}
	done < "$here/planted"
}

# run_target TARGET - prints a line for it
run_target()
{
	local log=$work/$1.log limit=(-max_total_time="$seconds") found

	[ -z "$runs" ] || limit=(-runs="$runs")
	rm -f "$work/$1".found.*
	if ! compile "$1" "$driver" "$work/$1" > "$log" 2>&1; then
		printf 'FAIL %s does not compile\n' "$1"
		cat "$log"
		return
	fi
	mkdir -p "$work/grown/$1" "$work/captured/$1"
	fuzz "$1" "$work/$1" "$work/$1.found" "${limit[@]}" \
		"$work/grown/$1" "$work/corpus/$1" "$work/captured/$1" > "$log" 2>&1
	found=$?
	if [ $found -eq 0 ]; then
		echo "ok   $1, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
		return
	fi
	echo "FAIL $1"
	grep -vE '^#[0-9]+.* (NEW|REDUCE|pulse) ' "$log" | tail -n 60
	for found in "$work/$1".found.*; do
		[ ! -e "$found" ] || echo "again: $work/$1 $found"
	done
}

# do_target TARGET - result lines, which say how many parsers are left
do_target()
{
	local out=$work/$1.out left

	{ run_target "$1"; try_planted "$1"; } > "$out" 2>&1
	: > "$work/planted/$1.done"
	left=$((count - $(find "$work/planted" -name '*.done' | wc -l)))
	sed -E "s/^(ok  |FAIL) .*/& ($left left)/" "$out"
}

# print_coverage - what all inputs there are run of each file, compiled once more
print_coverage()
{
	local target programs=()

	for target in "${targets[@]}"; do
		clang "${flags[@]}" -fsanitize=fuzzer -fprofile-instr-generate \
			-fcoverage-mapping -iquote "$driver" "$here/${target}_fuzz.c" \
			-o "$work/$target.coverage" || return
		LLVM_PROFILE_FILE=$work/$target.profraw "$work/$target.coverage" -runs=0 \
			"$work"/{corpus,grown,captured}/"$target" > "$work/$target.log" 2>&1 ||
			return
		programs+=(-object "$work/$target.coverage")
	done
	llvm-profdata merge -o "$work/profile" "$work"/*.profraw &&
	llvm-cov report "${programs[@]:1}" -instr-profile="$work/profile" \
		-ignore-filename-regex=tools/testing | tee "$work/coverage.report" |
		awk 'BEGIN { print "file lines run share" }
			$1 ~ /\.[ch]$/ && $8 { print $1, $8, $8 - $9, $10 }' | column -t
}

exec 7> "$work.lock"
flock -n 7 || die "another run is at it in $work"
rm -rf "$work/corpus" "$work/planted"
mkdir -p "$work/planted"
for target in "${targets[@]}"; do
	"$here/corpus.py" unpack "$here/corpus/$target.hex" "$work/corpus/$target" || exit 1
done
echo "Fuzzing ${#targets[@]} parsers, $(nproc) at a time," \
	"$how_long each ..."
export -f compile fuzz is_found try_planted run_target do_target
declare -p flags > "$work/flags"
count=${#targets[@]}
export here driver work seconds runs count PLANTED
# shellcheck disable=SC2317	# called by still
do_all()
{
	# shellcheck disable=SC2016	# the shell that xargs starts expands it
	printf '%s\0' "${targets[@]}" |
		xargs -0 -n 1 -P "$(nproc)" bash -c '. "$work/flags"; do_target "$1"' _
}

still fuzzing do_all | tee "$work/results"
[ "${COVERAGE-}" != yes ] || print_coverage || die "no coverage"

passed=$(grep -c '^ok   ' "$work/results")
failed=$(grep -c '^FAIL ' "$work/results")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -ge $((2 * ${#targets[@]})) ]
