#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run-tests.sh KERNEL - builds for it, and runs the selftests in machines that have it, each
# on each fabric that it is for. Who makes a check of them is check.sh.
#
# memory, locks  user mode kernels that check themselves, see debug-kernel.sh: eight tests in a
#                machine, for its boot takes as much time as half a test
# lockstat       in user mode: the tests of what CPUs share
# virtual        in user mode: hours that are skipped where nothing runs
# stock          Debian's, in QEMU, as all below: machines run one test after the other. One
#                that crashes, hangs or is no longer to be trusted is replaced, and what failed
#                in it has failed
# kasan, kcsan   kernels that check themselves
# gcov           one that counts what runs; with COVERAGE=DIR the counts go there
#
# TESTS=a,b      those only: NAME or NAME@FABRIC of ipoib, SUITE/NAME of others, SUITE/ for all of
#                it, or "chosen": those that want this kernel, of the list of the Makefiles.
#                Those of "tools" run only if they are named here, or "chosen"
# FABRICS=ib     or roce: on that fabric only
# FABRICS=one    a test that is for both fabrics runs on one of them, every other test on the
#                same. Which ones, what happens in the soak, and the order if there is not
#                time for all of them, follows from SEED, by default of the commit
# BUDGET=20      begin no test after so many minutes, and say which were not run. Those that
#                were changed within a day of the last commit are the first then, and the unit
#                tests are none of them
# MACHINES=4     so many at a time; fewer by default if memory is short
# PROFILE=NAME   the HCAs of ibdevsim are of that kind; with "each" they are of each kind in turn,
#                and without TESTS it is some of them, those that have "profiles" in their
#                line "# Also:"
# SEEDS=3        each test so often: with SEED, and the seeds that follow it. There is chaos.sh
#                then, too, which takes STEPS, WORKERS, ONLY and WITHOUT
# SWIOTLB=yes    DMA goes to other memory, so that what is not handed over, from driver to
#                device or back, is not there; on the stock kernel
#
# A test that fails is run up to three times more, each in a machine of its own, and alone: if it
# passes each time it is flaky, which is said. Five such are tried, once only when six minutes have
# gone by with that, and more than three that are flaky are a failure. What the kernel complains
# of, or what is left, is never flaky; with ONCE=yes nothing is. A machine that hangs while no test
# runs in it, after a test or before, is flaky, too.
set -u
. "$(dirname "$0")/common.sh"
kernel=${1-}
[ "$kernel" = kcsan ] && kcsan=yes || kcsan=
. "$(dirname "$0")/after-test.sh"

um='' built=$top
case $kernel in
memory | locks | lockstat | virtual) um=yes ;;
stock | kasan | kcsan | gcov) ;;
*) die "no kernel '$kernel'" ;;
esac
if [ "$kernel" != stock ]; then
	own_kernel "$kernel" || exit 1
fi
[ -z "${COVERAGE-}" ] || build_options+=(GCOV_PROFILE=y)

case ${FABRICS:=both} in
both | one | ib | roce) ;;
*) die "FABRICS is both, one, ib or roce" ;;
esac
: "${PROFILE:=}"
[ "$PROFILE" != each ] || FABRICS=ib
case ${SWIOTLB-} in
'' | yes) ;;
*) die "SWIOTLB is yes, or nothing" ;;
esac
[ -z "${SWIOTLB-}" ] || [ "$kernel" = stock ] || die "SWIOTLB is for the stock kernel"
[[ ${BUDGET:-0} =~ ^[0-9]+$ ]] || die "BUDGET is a number of minutes"
# Another one for each commit; its parity says where the alternation begins.
[ -n "${SEED-}" ] || SEED=$((16#$(git -c safe.directory='*' -C "$top" rev-parse --short=7 HEAD 2> /dev/null || echo 1)))

. "$(dirname "$0")/test-verdict.sh"
. "$(dirname "$0")/test-list.sh"
. "$(dirname "$0")/test-machines.sh"

choose_tests
# The suites take as long to compile as all else.
[[ " ${tests[*]} " != *' checkers:unit_tests.sh@'* ]] ||
	build_options+=(CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m)

# Programs are fetched for those tests only that say which they need.
tools='' source=
for t in "${tests[@]%@*}"; do
	[[ $t == tools:* ]] || continue
	needs=$(grep '^needs ' "$selftests/${t/://}") || continue
	[ -n "$tools" ] || tools=$("$top/scripts/tools-root.sh") || exit 1
	# YNL is no package, but lies in the kernel's source.
	[[ $needs != *ynl* ]] || source=$("$top/scripts/newest-source.sh" \
		tools/net/ynl/pyynl/cli.py Documentation/netlink/genetlink.yaml) || exit 1
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
	# Workers, or the machine of a test that is run again
	# shellcheck disable=SC2046
	kill $(jobs -p) 2> /dev/null
	wait
	rm -rf "$results"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# kselftest's deadline for each test
seconds=$(sed -n 's/^timeout=//p' "$selftests"/{ipoib,ibdevsim}/settings |
	sort -n | tail -n 1)
environment=(IBDEVSIM_PROFILE="${PROFILE/#each/}" TOOLS_ROOT="$tools"
	KERNEL_SOURCE="$source")
[ -z "$um" ] || environment+=(IPOIB_PATIENCE=120000)
if [ "$kernel" != stock ] && [ -z "$um" ]; then
	# Everything takes longer by as much as four times. What a test has to show does
	# not depend on how much it does of it.
	seconds=$((seconds * 4 + ${MINUTES:-5} * 60))
	environment+=(IPOIB_PATIENCE=160000 IPOIB_VOLUME=4)
	# Leaks are searched for in all memory: there is as much as twice what tests use.
	[ "$kernel" != kasan ] || vm+=(--mem 1536)
fi
for v in STEPS WORKERS ONLY WITHOUT; do
	[ -z "${!v-}" ] || environment+=("$v=${!v}")
done
# As long as its steps may take where others want the CPUs, too
[ -z "${SEEDS-}" ] || seconds=$((seconds + ${STEPS:-0} * 10))
# How long the test may take here, and how long by its own clock
real_seconds=$seconds
if [ "$kernel" = virtual ]; then
	seconds=$((10 * 3600))
	vm+=(--append time-travel)
fi
# Who allocated an object, and who freed it, is not remembered: that would take more time than all
# else.
[ "$kernel" != locks ] || vm+=(--append slab_debug=FZP)
# Whose a lock is, its address says.
[ "$kernel" != lockstat ] || vm+=(--append no_hash_pointers)
environment+=(SEED="$SEED" MINUTES="${MINUTES:-5}" PLANTED_KO="$built/tools/testing/selftests/checkers/test_modules/planted.ko")
[ -z "${SWIOTLB-}" ] || vm+=(--append swiotlb=force)
[ -z "${COVERAGE-}" ] || {
	environment+=(COVERAGE="$COVERAGE")
	vm+=(--share "$COVERAGE")
}

: > "$results/seconds"
todo=("${tests[@]}") began=$EPOCHSECONDS said=$EPOCHSECONDS
suspects=()
start_machines
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
			echo "     $(title "$t") failed; it is run again at the end"
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
# Who has failed is owed another try, however late it is.
rm -f "$results/over"
for t in "${suspects[@]}"; do
	judge_suspect "$t"
done
for end in "$results"/*.hung; do
	[ -e "$end" ] || continue
	flaky=$((flaky + 1))
	echo "flaky machine $(basename "$end" .hung): it hung while no test ran in it"
	sed 's/^/     /' "$end"
done
# With none that has run one it is no accident.
[ $((passed + failed + skipped)) -gt 1 ] || [ $flaky -eq 0 ] ||
	report FAIL "no machine has run a test"
[ $flaky -le 3 ] || report FAIL "$flaky that are flaky are too many"
for end in "$results"/*.fault; do
	[ ! -e "$end" ] || report FAIL "machine $(basename "$end" .fault)" "$end"
done
verdict
