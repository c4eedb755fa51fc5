#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the KUnit suites of the drivers' pure code in a user mode kernel that holds
# hardly anything else. The kernel is kept, so that only the first run is slow.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/need.sh" kunit || exit 1
src=$(still unpacking kernel_source) || die "cannot unpack the kernel source"
drivers=(ulp/ipoib sw/ibdevsim)
out=$cache/kunit
glue=$src/lib/ipoib

mkdir -p "$out"
exec 9> "$out/lock"
still "waiting for another run" flock -w 1200 9 || die "another run holds $out/lock"

# The suites join the kernel as a directory of links. A suite includes the .c file
# it tests as ../x.c, hence the same two levels.
rm -rf "$glue"
mkdir -p "$glue"
for d in "${drivers[@]}"; do
	driver=$top/drivers/infiniband/$d
	here=$glue/${d#*/}
	# A user mode kernel has no device with DMA. Those are for the debug kernel.
	suites=$(cd "$driver/tests" && grep -L '<linux/platform_device.h>' ./*_kunit.c)
	[ -n "$suites" ] || die "no suites in $driver/tests"
	mkdir -p "$here/tests"
	ln -s "$driver"/*.[ch] "$here"
	ln -s "$driver"/tests/*.c "$here/tests"
	echo 'obj-y += tests/' > "$here/Makefile"
	echo "obj-y += ${d#*/}/" >> "$glue/Makefile"
	{
		# The path is on the command line to have everything rebuilt
		# when another checkout is tested.
		echo "NOSTDINC_FLAGS += -I$top/include/compat"
		echo "ccflags-y += -Werror -DCHECKOUT=$(md5sum <<< "$top" | cut -c1-8)"
		for s in $suites; do
			echo "obj-y += $(basename "$s" .c).o"
		done
	} > "$here/tests/Makefile"
done
grep -q '^obj-y += ipoib/' "$src/lib/Makefile" ||
	echo 'obj-y += ipoib/' >> "$src/lib/Makefile"

cat > "$out/fragment" << END
CONFIG_64BIT=y
CONFIG_EXPERT=y
CONFIG_PRINTK=y
CONFIG_TTY=y
CONFIG_STDERR_CONSOLE=y
CONFIG_NET=y
CONFIG_INET=y
CONFIG_KUNIT=y
CONFIG_KUNIT_DEFAULT_ENABLED=y
END
cmp -s "$out/fragment" "$out/configured" || {
	echo "Building a user mode kernel, once (some minutes) ..."
	make -s -C "$src" ARCH=um O="$out" KCONFIG_ALLCONFIG="$out/fragment" allnoconfig &&
	cp "$out/fragment" "$out/configured"
} || die "cannot configure"
compile()
{
	make -s -C "$src" ARCH=um O="$out" -j"$(nproc)" > "$out/build.log" 2>&1
}
echo "Compiling the unit tests ..."
still compiling compile || {
	cat "$out/build.log"
	die "the suites do not build"
}

cd "$src" || exit 1
log=$out/run.log
timeout 300 tools/testing/kunit/kunit.py exec --build_dir="$out" < /dev/null 2>&1 |
	grep -v '^stty:' | tee "$log"
failed=${PIPESTATUS[0]}

# "Testing complete. Ran 9 tests: passed: 7, failed: 1, skipped: 1"
count()
{
	sed -n "s/.*Testing complete.*[: ]$1: \([0-9]*\).*/\1/p" "$log" | grep . || echo 0
}
passed=$(count passed)
bad=$(($(count failed) + $(count crashed) + $(count errors)))
skipped=$(count skipped)
# Whatever else kunit.py saw go wrong counts as one failure.
[ "$failed" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
echo "$passed passed, $bad failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$bad" -eq 0 ] && [ "$skipped" -eq 0 ] && [ "$passed" -gt 0 ]
