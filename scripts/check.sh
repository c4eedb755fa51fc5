#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check.sh [all] - what make check does: static checks, unit tests, every selftest on a kernel
# that looks after its memory, and on Debian's own those that need it. With "all", what make
# check-all does: all of them on all kernels, for as long as it takes.
#
# TESTS=a,b      builds, and runs these selftests only, on the first of the two kernels
# TESTS=tools/   all of the suite "tools", on either
# PROFILE=each   those few that want to be on HCAs of each kind
# KERNEL=NAME    on this one
# and the other variables of run-tests.sh.
set -u
. "$(dirname "$0")/common.sh"
. "$top/scripts/count.sh"

# stock_tools - those of the suite "tools" that need more than kernels of our own have
stock_tools()
{
	cd "$top/tools/testing/selftests" &&
		grep -l '^# Kernel: stock' tools/*.sh | sed 's/\.sh$//' | paste -sd ,
}

# all_tools - the suite "tools", each test on the kernel that it needs
all_tools()
{
	count 'selftests with tools' env TESTS=tools/ "$top/scripts/run-tests.sh" memory
	count 'selftests with tools on the kernel "stock"' \
		env TESTS="$(stock_tools)" "$top/scripts/run-tests.sh" stock
}

if [ "${TESTS-}" = tools/ ] && [ -z "${KERNEL-}" ]; then
	all_tools
	counted
	exit
elif [ -n "${TESTS-}" ] || [ "${PROFILE-}" = each ]; then
	exec "$top/scripts/run-tests.sh" "${KERNEL:-memory}"
elif [ -n "${KERNEL-}" ]; then
	exec "$top/scripts/run-tests.sh" "$KERNEL"
fi

count 'static checks' "$top/scripts/lint.sh"
count 'unit tests' "$top/scripts/kunit.sh"
count 'selftests on the kernel "memory"' "$top/scripts/run-tests.sh" memory
if [ "${1-}" = all ]; then
	for kernel in locks lockstat virtual stock kasan kcsan; do
		count "selftests on the kernel \"$kernel\"" "$top/scripts/run-tests.sh" $kernel
	done
	all_tools
	count 'Debian packages' "$top/scripts/package-test.sh"
else
	count 'selftests on the kernel "stock"' env TESTS=chosen "$top/scripts/run-tests.sh" stock
fi
counted
