#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Lint, build, and all tests in virtual machines, on each fabric that they are for;
# or only those in TESTS, with commas between: NAME or NAME@FABRIC of ipoib,
# SUITE/NAME of others. MACHINES (2) machines share the tests. One that crashes, hangs
# or is no longer to be trusted is replaced, and what failed in it has failed.
#
# With CHECKER=kasan or kcsan, on a kernel that checks itself. With CHECKER=gcov and
# COVERAGE=DIR what each machine has counted goes there.
set -u
. "$(dirname "$0")/common.sh"
checker=${CHECKER-}
[ "$checker" = kcsan ] && kcsan=yes || kcsan=
. "$(dirname "$0")/witness.sh"

if [ -n "$checker" ]; then
	build_options+=(CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m)
	KROOT=$("$top/scripts/debug-kernel.sh" "$checker") || exit 1
	KVER=$(ls "$KROOT/lib/modules")
	KDIR=$(realpath "$KROOT/lib/modules/$KVER/build")
	export KROOT KVER KDIR
fi
[ -z "${COVERAGE-}" ] || build_options+=(GCOV_PROFILE=y)

passed=0 failed=0 skipped=0
verdict()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $skipped -eq 0 ] && [ $passed -gt 0 ]
	exit
}

# report RESULT NAME [LOG]
report()
{
	printf '%-4s %s\n' "$1" "$2"
	case $1 in
	ok) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)); grep -i skip "$3" | sed 's/^/     /' ;;
	*) failed=$((failed + 1)); [ $# -lt 3 ] || sed 's/^/     /' "$3" ;;
	esac
}

# What runs is a test on a fabric, and is called SUITE:FILE@FABRIC.
selftests=$top/tools/testing/selftests
tests=() busy=' '
for suite in ipoib ibdevsim ${checker:+checkers}; do
	list=$(make -s -C "$selftests/$suite" CHECKER="$checker" list) ||
		die "no list of $suite"
	[ -n "$list" ] || die "no tests in $suite"
	for t in $list; do
		[[ $t == *@@(roce|ib|${checker:-ib}) ]] ||
			die "$suite/$t: no such fabric"
		tests+=("$suite:$t")
	done
	for t in $(make -s -C "$selftests/$suite" CHECKER=kcsan list); do
		busy+="$suite:$t "
	done
done

# chosen NAME - those that it stands for
chosen()
{
	local suite=ipoib name=$1 fabric='*' t

	[[ $name != */* ]] || suite=${name%%/*} name=${name#*/}
	[[ $name != *@* ]] || fabric=${name#*@} name=${name%@*}
	for t in "${tests[@]}"; do
		# shellcheck disable=SC2053	# a pattern
		[[ $t != "$suite:${name%.sh}"?(.sh)@$fabric ]] || echo "$t"
	done | grep . || die "no test $1"
}

if [ -n "${TESTS-}" ]; then
	list=$(for t in ${TESTS//,/ }; do chosen "$t"; done) || exit 1
	mapfile -t tests < <(awk '!seen[$0]++' <<< "$list")
elif [ -n "$checker" ]; then
	:	# it is no concern of lint's
elif "$top/scripts/lint.sh"; then
	report ok lint
else
	report FAIL lint
fi

if "$top/scripts/need.sh" fabric && build_for_vm &&
   make -s -C "$selftests/ipoib" all &&
   { [ -z "$checker" ] || make -s -C "$selftests/checkers" all; }; then
	report ok build
else
	report FAIL build
	verdict
fi

results=$(mktemp -d "${TMPDIR:-/tmp}/ipoib-check.XXXXXX") || exit 1
workers=()
# shellcheck disable=SC2317	# called by trap
cleanup()
{
	trap '' INT TERM HUP
	[ ${#workers[@]} -eq 0 ] || kill "${workers[@]}" 2> /dev/null
	wait
	rm -rf "$results"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# kselftest's deadline for each test
seconds=$(sed -n 's/^timeout=//p' "$selftests"/{ipoib,ibdevsim}/settings |
	sort -n | tail -n 1)
environment=(IPOIB_KO="$module" IBDEVSIM_KO="$top/drivers/infiniband/sw/ibdevsim")
if [ -n "$checker" ]; then
	# Everything takes longer by as much as four times. What a test has to show does
	# not depend on how much it does of it.
	seconds=$((seconds * 4 + ${MINUTES:-5} * 60))
	environment+=(IPOIB_PATIENCE=160000 IPOIB_VOLUME=4 SEED="${SEED:-1}" MINUTES="${MINUTES:-5}")
	# Leaks are searched for in all memory: there is as much as twice what tests use.
	[ "$checker" != kasan ] || vm+=(--mem 1536)
fi
[ -z "${COVERAGE-}" ] || {
	environment+=(COVERAGE="$COVERAGE")
	vm+=(--share "$COVERAGE")
}

# running MACHINE - the tests it has begun and not finished. All the time, so it
# starts no programs: they would take a CPU away from the machines.
running()
{
	local t machine

	for t in "${tests[@]}"; do
		[ -s "$results/$t/machine" ] && [ ! -e "$results/$t/status" ] &&
			read -r machine < "$results/$t/machine" &&
			[ "$machine" = "$1" ] && echo "$t"
	done
}

# untouched TEST... - is one of them that no machine has begun?
untouched()
{
	local t

	for t; do
		[ -e "$results/$t" ] || return 0
	done
	return 1
}

# last_words LOG - of a kernel: what began with its first complaint, if there was one
last_words()
{
	if grep -qaE "$complaint" "$1"; then
		sed -nE "/$complaint/,\$p" "$1" | head -n 300
	else
		tail -n 60 "$1"
	fi | sed 's/^/# | /'
}

# one_machine NAME CPUS TEST... - boots it, and sees it through to its end
one_machine()
{
	local t vm_pid status failed

	"${vm[@]}" --cpus "$2" --timeout $((7200 + ${MINUTES:-5} * 60)) --share "$results" --log "$results/$1.kernel" -- \
		env "${environment[@]}" "$top/scripts/check-guest" "$results" "$1" \
		"$seconds" "${@:3}" > "$results/$1.out" 2>&1 &
	vm_pid=$!
	trap 'kill $vm_pid; wait; exit' TERM
	while kill -0 $vm_pid 2> /dev/null; do
		for t in $(running "$1"); do
			# Its own deadline is kept in the machine; past that the
			# machine hangs.
			[ $((EPOCHSECONDS - $(stat -c %Y "$results/$t/machine"))) -le \
				$((seconds + 180)) ] || kill $vm_pid
		done
		sleep 1
	done
	wait $vm_pid
	status=$?
	{
		echo "# the machine ended with status $status, and had said:"
		last_words "$results/$1.kernel"
		tail -n 60 "$results/$1.out" | sed 's/^/# /'
	} > "$results/$1.end"
	for t in $(running "$1"); do
		: > "$results/$1.spoilt"
		cat "$results/$1.end" >> "$results/$t/log"
		as_expected "$results/$t/log" "$results/$1.end" > "$results/$t/expected"
		failed=$?
		cat "$results/$t/expected" >> "$results/$t/log"
		echo $failed > "$results/$t/status"
	done
	# With no test to put it down to
	[ -e "$results/$1.spoilt" ] ||
		{ [ $status -eq 0 ] && ! complains "$results/$1.kernel" &&
			[ -z "$(races "$results/$1.kernel")" ]; } ||
		mv "$results/$1.end" "$results/$1.fault"
}

# serve NAME CPUS TEST... - machines, one after the other, until each test was taken
serve()
{
	local before after

	while untouched "${@:3}"; do
		before=$(find "$results" -mindepth 1 -maxdepth 1 -type d | wc -l)
		n=$((n + 1))
		one_machine "$1.$n" "${@:2}"
		after=$(find "$results" -mindepth 1 -maxdepth 1 -type d | wc -l)
		# The other worker may have begun the last one meanwhile.
		if [ "$before" -eq "$after" ] && untouched "${@:3}"; then
			echo "machine $1.$n ran no test:"
			cat "$results/$1.$n.out"
			return 1
		fi
	done
}

# worker N - each begins where the other one ends
worker()
{
	local n=0

	if [ $(($1 % 2)) -eq 1 ]; then
		serve "$1" 2 "${on_two[@]}" && serve "$1" 1 "${on_one[@]}"
	else
		serve "$1" 1 "${on_one[@]}" && serve "$1" 2 "${on_two[@]}"
	fi
} > "$results/worker$1" 2>&1

# title TEST - as people read it
title()
{
	local name=${1%@*}

	name=${name%.sh}
	case $name in
	ipoib:*) echo "${name#*:} on ${1##*@}" ;;
	*) echo "${name/:/\/}" ;;
	esac
}

# CPUs that are emulated wait for each other, for a third of the time, and more when there
# are many. Tests in which several have nothing to do at the same time get one, and one
# machine begins with those while the other has the rest.
on_two=() on_one=()
for t in "${tests[@]}"; do
	if [ "$checker" != kcsan ] && [[ $busy != *" $t "* ]]; then
		on_one+=("$t")
	else
		on_two+=("$t")
	fi
done

machines=${MACHINES:-2}
[ ${#tests[@]} -gt 1 ] || machines=1
for ((m = 1; m <= machines; m++)); do
	worker $m &
	workers+=($!)
done

todo=("${tests[@]}")
while [ ${#todo[@]} -gt 0 ]; do
	alive=$(jobs -r | wc -l)
	left=()
	for t in "${todo[@]}"; do
		dir=$results/$t
		if [ ! -s "$dir/status" ]; then
			left+=("$t")
			continue
		fi
		took=$(($(stat -c %Y "$dir/status") - $(stat -c %Y "$dir/machine")))
		name="$(title "$t") ($took s)"
		case $(< "$dir/status") in
		0)
			if grep -q '^not ok' "$dir/log"; then
				report FAIL "$name" "$dir/log"
			elif grep -qi '# skip' "$dir/log"; then
				report SKIP "$name" "$dir/log"
			else
				report ok "$name"
			fi ;;
		4) report SKIP "$name" "$dir/log" ;;
		*) report FAIL "$name" "$dir/log" ;;
		esac
	done
	todo=("${left[@]}")
	if [ "$alive" -eq 0 ] && [ ${#todo[@]} -gt 0 ]; then
		for t in "${todo[@]}"; do
			report FAIL "$(title "$t") (never ran)"
		done
		cat "$results"/worker*
		break
	fi
	sleep 0.5
done
# Machines end after their last test.
wait "${workers[@]}"
for end in "$results"/*.fault; do
	[ ! -e "$end" ] || report FAIL "machine $(basename "$end" .fault)" "$end"
done
verdict
