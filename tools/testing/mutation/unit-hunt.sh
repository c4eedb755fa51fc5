#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# unit-hunt.sh build|map|hunt WORK - as mutation-guest, with the unit tests of pure code: each
# suite is a program here, for it takes no more from a kernel than unit.c has. So one run
# of it takes milliseconds, and no machine.
#
# WORK has what mutation-guest says, and units: a suite a line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/common.sh"

what=$1 work=$2
tree=$work/tree

build()
{
	local version source headers flags suite

	# No image is needed.
	version=$(compgen -G '/lib/modules/*/build/Makefile' | cut -d / -f 4 | sort -V | tail -n 1)
	[ -n "$version" ] || die "no kernel headers are installed"
	source=/lib/modules/$version/source headers=/lib/modules/$version/build
	flags=(-nostdinc -I"$tree/include/compat" -I"$source/arch/x86/include"
		-I"$headers/arch/x86/include/generated" -I"$source/include" -I"$headers/include"
		-I"$source/arch/x86/include/uapi" -I"$headers/arch/x86/include/generated/uapi"
		-I"$source/include/uapi" -I"$headers/include/generated/uapi"
		-include "$source/include/linux/compiler-version.h"
		-include "$source/include/linux/kconfig.h"
		-include "$source/include/linux/compiler_types.h"
		-D__KERNEL__ -DMODULE -D'KBUILD_MODNAME="unit"' -w -O1 -std=gnu11
		-mno-sse -mno-mmx -ffreestanding -fno-pie -fno-strict-aliasing -fno-common
		-fshort-wchar -fno-delete-null-pointer-checks -fno-stack-protector)
	mkdir -p "$work/unit"
	cd "$work/unit" || return
	gcc "${flags[@]}" -c "$here/unit.c" -o unit.o &&
	gcc -O2 -Wall -c "$here/unit-main.c" -o main.o || return
	while read -r suite; do
		gcc "${flags[@]}" -include "$here/mutant.h" -o "$suite.o" \
			-c "$tree/drivers/infiniband/ulp/ipoib/tests/${suite}_kunit.c" &&
		objcopy --rename-section .kunit_test_suites=suites "$suite.o" &&
		gcc -no-pie -o "$suite" "$suite.o" unit.o main.o || return
	done < "$work/units"
}

# run SUITE [MUTANT] - what needs more than five seconds of a CPU does not end
run()
{
	(ulimit -c 0 -t 5; exec "$work/unit/$1" "${@:2}")
}

map()
{
	local suite start

	while read -r suite; do
		mkdir "$work/map/$suite" 2> /dev/null || continue
		start=${EPOCHREALTIME/./}
		if run "$suite" > "$work/map/$suite/run" 2> "$work/map/$suite/log"; then
			echo $(((${EPOCHREALTIME/./} - start) / 1000)) > "$work/map/$suite/passed"
		else
			touch "$work/map/$suite/failed"
		fi
	done < "$work/units"
}

# try MUTANT TEST... - sets verdict, unless there are tests for a machine
try()
{
	local dir=$work/hunt/$1 test

	verdict=survived
	for test in "${@:2}"; do
		grep -qx "$test" "$work/units" || { verdict=''; continue; }
		verdict+=${verdict:+ $test}
		run "$test" "$1" > "$dir/log" 2>&1
		case $? in
		0)	continue ;;
		1)	verdict="killed $test check" ;;
		137|152) verdict="killed $test hang" ;;
		*)	verdict="killed $test crash" ;;
		esac
		return
	done
}

hunt()
{
	local mutant tests

	while read -r mutant tests; do
		mkdir "$work/hunt/$mutant" 2> /dev/null || continue
		# shellcheck disable=SC2086	# words
		try "$mutant" $tests 2> /dev/null
		if [ -n "$verdict" ]; then
			echo "$verdict" > "$work/hunt/$mutant/verdict"
		else
			rm -rf "$work/hunt/$mutant"
		fi
	done < "$work/todo"
}

$what
