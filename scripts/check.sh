#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Lint, build, and all tests in virtual machines, on each fabric that they are for;
# or only those in TESTS, with commas between: NAME or NAME@FABRIC of ipoib,
# SUITE/NAME of others, or traffic: what check-uml has not. MACHINES (4, fewer if memory
# is short) machines share the tests. One that crashes, hangs or is no longer to be trusted is
# replaced, and what failed in it has failed.
#
# With FABRICS=one a test that is for both fabrics runs on one of them, every other test
# on the same. Which ones, and what happens in the soak, follows from SEED, by default of
# the commit.
#
# With PROFILE=NAME the HCAs of ibdevsim are of that kind.
#
# With SWIOTLB=yes, on the stock kernel, DMA goes to other memory, so that what is not
# handed over, from driver to device or back, is not there.
#
# With CHECKER=kasan or kcsan, on a kernel that checks itself. With CHECKER=uml tests in which
# one CPU at a time has something to do run on such a one, too, but in user mode, whose clock
# goes on as soon as everybody waits. With CHECKER=gcov and COVERAGE=DIR what each machine
# has counted goes there.
set -u
. "$(dirname "$0")/common.sh"
checker=${CHECKER-}
[ "$checker" = kcsan ] && kcsan=yes || kcsan=
. "$(dirname "$0")/witness.sh"

if [ -n "$checker" ]; then
	# The kernel that finds data races is for tests with traffic only.
	[ -n "$kcsan" ] || build_options+=(CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m)
	flavour=$checker
	if [ "$checker" = uml ]; then
		flavour=uml-kasan
		build_options+=(ARCH=um)
	fi
	KROOT=$(still "building the kernel" "$top/scripts/debug-kernel.sh" "$flavour") || exit 1
	KVER=$(ls "$KROOT/lib/modules")
	KDIR=$(realpath "$KROOT/lib/modules/$KVER/build")
	export KROOT KVER KDIR
fi
[ -z "${COVERAGE-}" ] || build_options+=(GCOV_PROFILE=y)

case ${FABRICS:=both} in
both | one) ;;
*) die "FABRICS is both or one" ;;
esac
case ${SWIOTLB-} in
'' | yes) ;;
*) die "SWIOTLB is yes, or nothing" ;;
esac
[ -z "${SWIOTLB-}" ] || [ -z "$checker" ] || die "SWIOTLB is for the stock kernel"
# Another one for each commit; its parity says where the alternation begins.
[ -n "${SEED-}" ] || SEED=$((16#$(git -C "$top" rev-parse --short=7 HEAD 2> /dev/null || echo 1)))

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
	said=$EPOCHSECONDS
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
	list=$(make -s -C "$selftests/$suite" CHECKER=kcsan list) || die "no list of $suite"
	for t in $list; do
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
		if [ "$1" = traffic ]; then
			[[ $busy != *" $t "* ]] || echo "$t"
		elif [[ $t == "$suite:${name%.sh}"?(.sh)@$fabric ]]; then
			echo "$t"
		fi
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

# In turn, each where the one before was not
if [ "$FABRICS" = one ]; then
	mapfile -t tests < <(printf '%s\n' "${tests[@]}" | awk -F @ -v n=$((SEED % 2)) '
		$2 !~ /^(ib|roce)$/ { print; next }
		!($1 in fabrics) { order[++count] = $1 }
		{ fabrics[$1] = fabrics[$1] " " $2 }
		END {
			for (i = 1; i <= count; i++) {
				split(fabrics[order[i]], f, " ")
				print order[i] "@" (2 in f ? f[1 + n++ % 2] : f[1])
			}
		}')
fi
[ "$FABRICS" = both ] && [[ ${tests[*]} != *soak* ]] ||
	echo "Which tests are on which fabric, and the soak, follow from SEED=$SEED"

# What each test took the last time, here, or on the other fabric, or the mean of all:
# the longest begin, for none is to be alone at the end while other machines have nothing
# to do. Where nothing is known they are in the order of the Makefile.
table=$cache/seconds-${checker:-plain}
declare -A seconds_of=()
mean=10
if [ -s "$table" ]; then
	while read -r took t; do
		seconds_of[$t]=$took
	done < "$table"
	mean=$(awk '{ s += $1 } END { print int(s / NR) + 1 }' "$table")
fi
for t in "${tests[@]}"; do
	case $t in
	*@ib) other=${t%@*}@roce ;;
	*) other=${t%@*}@ib ;;
	esac
	: "${seconds_of[$t]:=${seconds_of[$other]:-$mean}}"
done
mapfile -t tests < <(for t in "${tests[@]}"; do
	echo "${seconds_of[$t]} $t"
done | sort -s -k 1,1nr | cut -d ' ' -f 2)

# CPUs that are emulated wait for each other, for a third of the time, and more when there
# are many. Tests in which several have nothing to do at the same time get one, and all
# machines but the first begin with those.
on_two=() on_one=()
for t in "${tests[@]}"; do
	if [ "$checker" != kcsan ] && [[ $busy != *" $t "* ]]; then
		on_one+=("$t")
	else
		on_two+=("$t")
	fi
done

build()
{
	build_for_vm fabric && make -s -C "$selftests/ipoib" all &&
	{ [ -z "$checker" ] || make -s -C "$selftests/checkers" "${build_options[@]}" all; }
}

if build; then
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
environment=(IBDEVSIM_PROFILE="${PROFILE-}")
if [ -n "$checker" ]; then
	# Everything takes longer by as much as four times. What a test has to show does
	# not depend on how much it does of it.
	seconds=$((seconds * 4 + ${MINUTES:-5} * 60))
	environment+=(IPOIB_PATIENCE=160000 IPOIB_VOLUME=4 SEED="$SEED" MINUTES="${MINUTES:-5}")
	# Leaks are searched for in all memory: there is as much as twice what tests use.
	[ "$checker" != kasan ] || vm+=(--mem 1536)
	[ "$checker" != uml ] || vm=("$top/scripts/uml" --root "$KROOT" --mem 1536)
fi
[ -z "${SWIOTLB-}" ] || vm+=(--append swiotlb=force)
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

# last_words LOG - of a kernel, and what began with its first complaint, if there was one
last_words()
{
	{
		if grep -qaE "$complaint" "$1"; then
			sed -nE "/$complaint/,\$p" "$1" | head -n 300
			echo ...
		fi
		# An oops and the panic that follows it are a hundred lines.
		tail -n 150 "$1"
	} | sed 's/^/# | /'
}

# machine_of CPUS WORKER - sets $machine to the command that runs something in one with so
# many CPUs. Kernel and programs of a user mode kernel, which has one, run in turn, which is
# slow from one CPU of the host's to another.
machine_of()
{
	local cpu=$((($2 - 1) % $(nproc)))

	machine=("${vm[@]}")
	if [ "$checker" != uml ]; then
		machine+=(--cpus "$1")
	elif taskset -c "$cpu" true 2> /dev/null; then
		machine=(taskset -c "$cpu" "${machine[@]}")
	fi
}

# one_machine NAME CPUS TEST... - boots it, and sees it through to its end
one_machine()
{
	local t vm_pid status failed machine

	machine_of "$2" "${1%%.*}"
	"${machine[@]}" --timeout $((7200 + ${MINUTES:-5} * 60)) --share "$results" --log "$results/$1.kernel" -- \
		env "${environment[@]}" IPOIB_KO="$module" \
		IBDEVSIM_KO="$top/drivers/infiniband/sw/ibdevsim" \
		"$top/scripts/check-guest" "$results" "$1" \
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

# worker N - the first begins where the second ends. More than those two are for tests with
# one CPU: the emulated CPUs of three machines, two each, would mostly wait for each other.
worker()
{
	local n=0

	# Tests wait for something, some a tenth of their time, some most of it. What CPU
	# time that leaves, others take, and no more than a part of that of the first two.
	[ "$1" -le 2 ] || renice -n 5 -p $BASHPID > /dev/null 2>&1
	case $1 in
	1) serve "$1" 2 "${on_two[@]}" && serve "$1" 1 "${on_one[@]}" ;;
	2) serve "$1" 1 "${on_one[@]}" && serve "$1" 2 "${on_two[@]}" ;;
	*) serve "$1" 1 "${on_one[@]}" ;;
	esac
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

# remember - what the tests took that passed
remember()
{
	mkdir -p "$cache"
	{
		cat "$results/seconds"
		cat "$table" 2> /dev/null
	} | awk '!seen[$2]++' > "$table.$$" && mv "$table.$$" "$table"
}

# Each takes 2 GiB, if its tests want them. One of user mode leaves nothing of its CPU.
memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
if [ "$checker" = uml ] || [ "$memory" -lt 7 ]; then
	machines=2
elif [ "$memory" -lt 9 ]; then
	machines=3
else
	machines=4
fi
machines=${MACHINES:-$machines}
[ ${#tests[@]} -ge "$machines" ] || machines=${#tests[@]}
for ((m = 1; m <= machines; m++)); do
	worker $m &
	workers+=($!)
done

# complete LOG - has it a plan, and as many results as that says?
complete()
{
	awk '
		match($0, /^1\.\.[0-9]+/) { plans++; plan = substr($0, 4, RLENGTH - 3) + 0 }
		/^(not )?ok [0-9]/ { results++ }
		END { exit !(plans == 1 && plan > 0 && results == plan) }' "$1" || {
		echo "# no plan, or not as many results as planned" >> "$1"
		return 1
	}
}

# to_come - how much that is, from what the tests took that are done, and how long all of
# them did with as many machines
to_come()
{
	local t left=0 minutes

	for t in "${todo[@]}"; do
		left=$((left + seconds_of[$t]))
	done
	echo -n "${#todo[@]} left"
	[ $foreseen -gt 0 ] && [ $left -gt 0 ] || return
	minutes=$(((left * (EPOCHSECONDS - began) / foreseen + 30) / 60))
	echo -n ", about $((minutes > 0 ? minutes : 1)) min"
}

# say_what_runs - so that nobody takes it for dead
say_what_runs()
{
	local t names=''

	for t in "${todo[@]}"; do
		[ -s "$results/$t/machine" ] && [ ! -s "$results/$t/status" ] &&
			names+=", $(title "$t") ($((EPOCHSECONDS - $(stat -c %Y "$results/$t/machine"))) s)"
	done
	[ -n "$names" ] || names=', machines that start'
	echo "     ... running: ${names:2}; $(to_come)"
	said=$EPOCHSECONDS
}

: > "$results/seconds"
todo=("${tests[@]}") began=$EPOCHSECONDS said=$EPOCHSECONDS foreseen=0
while [ ${#todo[@]} -gt 0 ]; do
	alive=$(jobs -r | wc -l)
	for i in "${!todo[@]}"; do
		t=${todo[i]}
		dir=$results/$t
		[ -s "$dir/status" ] || continue
		unset "todo[i]"
		foreseen=$((foreseen + seconds_of[$t]))
		took=$(($(stat -c %Y "$dir/status") - $(stat -c %Y "$dir/machine")))
		name="$(title "$t") ($took s; $(to_come))"
		case $(< "$dir/status") in
		0)
			if grep -q '^not ok' "$dir/log" || { ! grep -q '^# expect: ' "$dir/log" &&
			   ! complete "$dir/log"; }; then
				report FAIL "$name" "$dir/log"
			elif grep -qi '# skip' "$dir/log"; then
				report SKIP "$name" "$dir/log"
			else
				report ok "$name"
				echo "$took $t" >> "$results/seconds"
			fi ;;
		4) report SKIP "$name" "$dir/log" ;;
		*) report FAIL "$name" "$dir/log" ;;
		esac
	done
	if [ "$alive" -eq 0 ] && [ ${#todo[@]} -gt 0 ]; then
		for t in "${todo[@]}"; do
			report FAIL "$(title "$t") (never ran)"
		done
		cat "$results"/worker*
		break
	fi
	[ $((EPOCHSECONDS - said)) -lt 50 ] || say_what_runs
	sleep 0.5
done
remember
# Machines end after their last test.
wait "${workers[@]}"
for end in "$results"/*.fault; do
	[ ! -e "$end" ] || report FAIL "machine $(basename "$end" .fault)" "$end"
done
verdict
