#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run-tests.sh KERNEL - builds for it, and runs the selftests in machines that have it, each
# on each fabric that it is for. Who makes a check of them is check.sh.
#
# memory, locks  user mode kernels that check themselves, see debug-kernel.sh: eight tests in a
#                machine, for its boot takes as much time as half a test
# stock          Debian's, in QEMU, as all below: machines run one test after the other. One
#                that crashes, hangs or is no longer to be trusted is replaced, and what failed
#                in it has failed
# kasan, kcsan   kernels that check themselves
# gcov           one that counts what runs; with COVERAGE=DIR the counts go there
#
# TESTS=a,b      those only: NAME or NAME@FABRIC of ipoib, SUITE/NAME of others, or "chosen":
#                those that want this kernel, of the list of the Makefiles
# FABRICS=one    a test that is for both fabrics runs on one of them, every other test on the
#                same. Which ones, what happens in the soak, and the order if there is not
#                time for all of them, follows from SEED, by default of the commit
# BUDGET=20      begin no test after so many minutes, and say which were not run. Those that
#                were changed within a day of the last commit are the first then
# MACHINES=4     so many at a time; fewer by default if memory is short
# PROFILE=NAME   the HCAs of ibdevsim are of that kind
# SWIOTLB=yes    DMA goes to other memory, so that what is not handed over, from driver to
#                device or back, is not there; on the stock kernel
#
# A test that fails is run once more, in a machine of its own, and alone: if it passes there
# it is flaky, which is said. Five such are tried, and more than three that are flaky are a
# failure. What the kernel complains of, or what is left, is never flaky.
set -u
. "$(dirname "$0")/common.sh"
kernel=${1-}
[ "$kernel" = kcsan ] && kcsan=yes || kcsan=
. "$(dirname "$0")/witness.sh"

um='' built=$top
case $kernel in
memory | locks) um=yes ;;
stock | kasan | kcsan | gcov) ;;
*) die "no kernel '$kernel'" ;;
esac
if [ "$kernel" != stock ]; then
	# The kernel that finds data races is for tests with traffic only.
	[ -n "$kcsan" ] || build_options+=(CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m)
	own_kernel "$kernel" || exit 1
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
[ -z "${SWIOTLB-}" ] || [ "$kernel" = stock ] || die "SWIOTLB is for the stock kernel"
[[ ${BUDGET:-0} =~ ^[0-9]+$ ]] || die "BUDGET is a number of minutes"
# Another one for each commit; its parity says where the alternation begins.
[ -n "${SEED-}" ] || SEED=$((16#$(git -C "$top" rev-parse --short=7 HEAD 2> /dev/null || echo 1)))

passed=0 failed=0 skipped=0 flaky=0
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
tests=() busy=' ' wanted=' '
for suite in ipoib ibdevsim checkers; do
	[ $suite != checkers ] || [ "$kernel" != stock ] || continue
	list=$(make -s -C "$selftests/$suite" KERNEL="$kernel" list) ||
		die "no list of $suite"
	[ -n "$list" ] || die "no tests in $suite"
	for t in $list; do
		[[ $t == *@@(roce|ib|$kernel) ]] ||
			die "$suite/$t: no such fabric"
		tests+=("$suite:$t")
	done
	for t in $(make -s -C "$selftests/$suite" KERNEL=kcsan list); do
		busy+="$suite:$t "
	done
	for t in $(make -s -C "$selftests/$suite" KERNEL="$kernel" chosen); do
		wanted+="$suite:$t "
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
		if [ "$1" = chosen ]; then
			[[ $wanted != *" $t "* ]] || echo "$t"
		elif [[ $t == "$suite:${name%.sh}"?(.sh)@$fabric ]]; then
			echo "$t"
		fi
	done | grep . || die "no test $1 for the kernel \"$kernel\""
}

if [ -n "${TESTS-}" ]; then
	list=$(for t in ${TESTS//,/ }; do chosen "$t"; done) || exit 1
	mapfile -t tests < <(awk '!seen[$0]++' <<< "$list")
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
[ "$FABRICS" = both ] && [[ ${tests[*]} != *soak* ]] && [ "${BUDGET:-0}" -eq 0 ] ||
	echo "Which tests are on which fabric, their order, and the soak, follow from SEED=$SEED"

# What each test took the last time, here, or on the other fabric, or the mean of all:
# the longest begin, for none is to be alone at the end while other machines have nothing
# to do. Where nothing is known they are in the order of the Makefile.
table=$cache/seconds-$kernel
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
# changed_lately - names of the tests that were
changed_lately()
{
	local now

	now=$(git -C "$top" log -1 --format=%ct 2> /dev/null) || return 0
	git -C "$top" log --since=$((now - 86400)) --format= --name-only -- tools/testing/selftests |
		sed -n 's,.*/selftests/\([^/]*\)/\([^/]*\)$,\1:\2,p' | sort -u
}

# in_order - the longest first; or as SEED has it, what was changed first of all
in_order()
{
	local t key lately

	lately=" $(changed_lately | tr '\n' ' ')"
	for t in "${tests[@]}"; do
		key=${seconds_of[$t]}
		if [ "${BUDGET:-0}" -gt 0 ]; then
			key=$(cksum <<< "$SEED $t")
			key=${key%% *}
			[[ $lately != *" ${t%@*} "* ]] || key=${key}0000000000
		fi
		echo "$key $t"
	done | sort -s -k 1,1nr | cut -d ' ' -f 2
}
mapfile -t tests < <(in_order)

# CPUs that are emulated wait for each other, for a third of the time, and more when there
# are many. Tests in which several have nothing to do at the same time get one, and all
# machines but the first begin with those.
on_two=() on_one=()
for t in "${tests[@]}"; do
	if [ -z "$um$kcsan" ] && [[ $busy != *" $t "* ]]; then
		on_one+=("$t")
	else
		on_two+=("$t")
	fi
done

build()
{
	build_for_vm fabric && make -s -C "$selftests/ipoib" all &&
	{ [ "$kernel" = stock ] ||
		make -s -C "$selftests/checkers" TREE="$built" "${build_options[@]}" all; }
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
[ -z "$um" ] || environment+=(IPOIB_PATIENCE=120000)
if [ "$kernel" != stock ] && [ -z "$um" ]; then
	# Everything takes longer by as much as four times. What a test has to show does
	# not depend on how much it does of it.
	seconds=$((seconds * 4 + ${MINUTES:-5} * 60))
	environment+=(IPOIB_PATIENCE=160000 IPOIB_VOLUME=4)
	# Leaks are searched for in all memory: there is as much as twice what tests use.
	[ "$kernel" != kasan ] || vm+=(--mem 1536)
fi
environment+=(SEED="$SEED" MINUTES="${MINUTES:-5}" PLANTED_KO="$built/tools/testing/selftests/checkers/test_modules/planted.ko")
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

# one_machine NAME CPUS TEST... - boots it, and sees it through to its end
one_machine()
{
	local t vm_pid status failed idle

	"${vm[@]}" --cpus "$2" --timeout $((7200 + ${MINUTES:-5} * 60)) --share "$results" --log "$results/$1.kernel" -- \
		env "${environment[@]}" IPOIB_KO="$built/${module#"$top/"}" \
		IBDEVSIM_KO="$built/drivers/infiniband/sw/ibdevsim" \
		"$top/scripts/check-guest" "$results" "$1" \
		"$seconds" "${um:+8}" "${@:3}" > "$results/$1.out" 2>&1 &
	vm_pid=$!
	trap 'kill $vm_pid; wait; exit' TERM
	idle=$EPOCHSECONDS
	while kill -0 $vm_pid 2> /dev/null; do
		for t in $(running "$1"); do
			# Its own deadline is kept in the machine; past that the
			# machine hangs.
			[ $((EPOCHSECONDS - $(stat -c %Y "$results/$t/machine"))) -le \
				$((seconds + 180)) ] || kill $vm_pid
			idle=$EPOCHSECONDS
		done
		# So does one that neither starts nor ends, nor begins a test.
		[ $((EPOCHSECONDS - idle)) -le 300 ] || kill $vm_pid
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

	while [ ! -e "$results/over" ] && untouched "${@:3}"; do
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
	[ -n "$um" ] || [ "$1" -le 2 ] || renice -n 5 -p $BASHPID > /dev/null 2>&1
	[ -z "$um" ] || { serve "$1" 2 "${on_two[@]}"; return; }
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

# Each takes 2 GiB, if its tests want them; those of user mode 1, and they wait for more of
# their time.
memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
if [ "$memory" -lt 7 ]; then
	machines=2
elif [ "$memory" -lt 9 ]; then
	machines=3
else
	machines=${um:+6}
	: "${machines:=4}"
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

# fails TEST - has it? What is no failure of its own is not asked for twice
fails()
{
	local dir=$results/$1

	[[ $(< "$dir/status") == @(0|4) ]] || return 0
	[ "$(< "$dir/status")" = 0 ] || return 1
	grep -q '^not ok' "$dir/log" && return 0
	! grep -q '^# expect: ' "$dir/log" && ! complete "$dir/log"
}

# only_word TEST - is there nothing but its own word against it, nor a fault of soft-RoCE's own?
# What that does to memory when it sends again what had no answer in time nobody knows yet.
only_word()
{
	[ ! -s "$results/$1/found" ] || grep -q 'BUG: KASAN: .* in rxe_.*\[rdma_rxe\]' "$results/$1/found"
}

# once_more TEST - alone: does it pass?
once_more()
{
	local dir=$results/$1

	[ $tried_again -lt 5 ] && only_word "$1" && [ -s "$dir/log" ] &&
		! grep -q '^# the machine ended' "$dir/log" || return
	tried_again=$((tried_again + 1))
	mv "$dir" "$results/failed-$1" || return
	one_machine "again.$tried_again" 2 "$1"
	[ -s "$dir/status" ] && ! fails "$1" && [ ! -e "$results/again.$tried_again.fault" ]
}

# judge TEST - says what became of it
judge()
{
	local t=$1 dir=$results/$1 took name

	took=$(($(stat -c %Y "$dir/status") - $(stat -c %Y "$dir/machine")))
	name="$(title "$t") ($took s; $(to_come))"
	if fails "$t"; then
		report FAIL "$name" "$dir/log"
	elif [ "$(< "$dir/status")" = 4 ] || grep -qi '# skip' "$dir/log"; then
		report SKIP "$name" "$dir/log"
	else
		report ok "$name"
		echo "$took $t" >> "$results/seconds"
	fi
}

: > "$results/seconds"
todo=("${tests[@]}") began=$EPOCHSECONDS said=$EPOCHSECONDS foreseen=0
suspects=() tried_again=0
while [ ${#todo[@]} -gt 0 ]; do
	[ "${BUDGET:-0}" -eq 0 ] || [ $((EPOCHSECONDS - began)) -lt $((BUDGET * 60)) ] ||
		: > "$results/over"
	alive=$(jobs -r | wc -l)
	for i in "${!todo[@]}"; do
		t=${todo[i]}
		[ -s "$results/$t/status" ] || continue
		unset "todo[i]"
		foreseen=$((foreseen + seconds_of[$t]))
		if fails "$t" && only_word "$t"; then
			suspects+=("$t")
			echo "     $(title "$t") failed; it is run once more at the end"
		else
			judge "$t"
		fi
	done
	[ "$alive" -gt 0 ] || [ ${#todo[@]} -eq 0 ] || break
	[ $((EPOCHSECONDS - said)) -lt 50 ] || say_what_runs
	sleep 0.5
done
remember
# Machines end after their last test.
wait "${workers[@]}"
workers=()

if [ ${#todo[@]} -gt 0 ] && [ -e "$results/over" ]; then
	echo "not run, for want of time ($BUDGET min): $(for t in "${todo[@]}"; do
		echo -n "$(title "$t"), "
	done)and that is all"
elif [ ${#todo[@]} -gt 0 ]; then
	for t in "${todo[@]}"; do
		report FAIL "$(title "$t") (never ran)"
	done
	cat "$results"/worker*
fi
todo=()
for t in "${suspects[@]}"; do
	if once_more "$t"; then
		flaky=$((flaky + 1))
		echo "flaky $(title "$t"): it failed, and passed when it was run again, alone"
		sed 's/^/     /' "$results/failed-$t/log"
		report ok "$(title "$t"), when it was run again"
	else
		report FAIL "$(title "$t")" "$results/$t/log"
		[ ! -s "$results/failed-$t/log" ] || {
			echo "     and before that:"
			sed 's/^/     /' "$results/failed-$t/log"
		}
	fi
done
[ $flaky -le 3 ] || report FAIL "$flaky flaky tests are too many"
for end in "$results"/*.fault; do
	[ ! -e "$end" ] || report FAIL "machine $(basename "$end" .fault)" "$end"
done
verdict
