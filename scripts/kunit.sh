#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the drivers' KUnit suites, as modules, on a kernel in user mode that looks after its
# memory.
set -u
. "$(dirname "$0")/common.sh"

own_kernel memory || exit 1
build_options+=(CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m)
build_for_vm fabric || die "the suites do not build"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
still "running the unit tests" "${vm[@]}" --log "$log" -- env IPOIB_KO="$built/${module#"$top/"}" \
	IBDEVSIM_KO="$built/drivers/infiniband/sw/ibdevsim" \
	"$top/tools/testing/selftests/checkers/unit_tests.sh" | tee "$log.out"
status=${PIPESTATUS[0]}

# Of each case there is a line that is four blanks deeper than that of its suite.
passed=$(grep -cE '^# \| {4,5}ok [0-9]' "$log.out")
failed=$(grep -cE '^# \| {4,5}not ok [0-9]' "$log.out")
rm -f "$log.out"
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
