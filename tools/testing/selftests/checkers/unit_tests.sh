#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The unit tests, in this kernel: each suite is a module, in tests/ beside the module
# whose code it tests. Loading it runs it; what became of each case is a comment here.
set -u

results=/sys/kernel/debug/kunit
suites=()
for dir in "$(dirname "$IPOIB_KO")" "$IBDEVSIM_KO"; do
	suites+=("$dir"/tests/*_kunit.c)
done

# Interfaces of suites have no name in the log, and what goes wrong there is meant to.
echo "selftest unit_tests $$ expects unnamed net_device" > /dev/kmsg

n=0 status=0
echo "TAP version 13"
echo "1..${#suites[@]}"
for suite in "${suites[@]}"; do
	n=$((n + 1))
	module=${suite%.c}.ko
	name=$(basename "$suite" _kunit.c)
	insmod "$module"
	sed 's/^/# | /' "$results/$name/results"
	# A suite of which no case was run has succeeded, too.
	if grep -q "^ok 1 $name\$" "$results/$name/results" &&
	   grep -q '^    ok 1 ' "$results/$name/results"; then
		echo "ok $n - $name"
	else
		status=1
		echo "not ok $n - $name"
	fi
	rmmod "$(basename "$module" .ko)"
done
exit $status
