#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compiles the drivers and their KUnit suites for a kernel with pages of 64 KiB, of arm64.
#
# RUN=kunit  builds that kernel, too, and runs the suites there, in QEMU
set -u
. "$(dirname "$0")/common.sh"
# shellcheck source=after-test.sh
. "$top/scripts/after-test.sh"

need_tree
need_cache
case ${RUN-} in
'')	own_kernel pages64-headers || exit 1
	# What the kernel exports is not known.
	options=(KBUILD_MODPOST_WARN=1) ;;
kunit)	"$top/scripts/packages.sh" cross-run && own_kernel pages64 || exit 1
	options=() ;;
*)	die "RUN= is kunit, or nothing" ;;
esac
gnu=aarch64-linux-gnu-

compile()
{
	make -s -C "$built" -j"$(nproc)" ARCH=arm64 CROSS_COMPILE=$gnu "${options[@]}" \
		CONFIG_{IPOIB,INFINIBAND_IBDEVSIM}_KUNIT_TEST=m modules \
		2> >(grep -vE '^WARNING: modpost: .*(undefined!|unresolved symbol warnings)' >&2)
}

mkdir -p "$top/build" && exec {building}> "$top/build/compile.lock" && flock "$building" &&
	link_tree || exit 1
echo "Compiling the drivers and their suites for Linux $KVER of arm64" \
	"(minutes at first, then seconds) ..." >&2
still compiling compile || die "they do not build"
exec {building}>&-
[ -n "${RUN-}" ] || exit 0

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ipoib-cross.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# fill - the machine has no files but those that it is started with
fill()
{
	mkdir -p "$tmp/root/suites" &&
	cp "$built"/drivers/infiniband/{ulp/ipoib,sw/ibdevsim}/tests/*_kunit.ko "$tmp/root/suites" &&
	${gnu}gcc -O2 -Wall -Wextra -Werror -static -o "$tmp/root/init" \
		"$top/scripts/cross-init.c" &&
	(cd "$tmp/root" && find . | cpio --quiet -o -H newc) > "$tmp/initrd" &&
	# QEMU takes no ELF file with virtual addresses.
	${gnu}objcopy -O binary "$KROOT/lib/modules/$KVER/vmlinuz" "$tmp/image"
}

# A busy host stops the virtual CPUs for long: that is no stall of theirs.
run()
{
	timeout -k 2 1200 qemu-system-aarch64 -M virt -cpu cortex-a57 -accel tcg,thread=multi \
		-smp 2 -m 2048 -no-reboot -nodefaults -display none -serial "file:$tmp/serial" \
		-kernel "$tmp/image" -initrd "$tmp/initrd" \
		-append "panic=-1 kunit.autorun=1 rcupdate.rcu_cpu_stall_timeout=60" < /dev/null
}

fill || die "cannot make the machine"
still "running the unit tests" run
status=$?
tr -d '\r' < "$tmp/serial" > "$tmp/log"
sed -nE 's/^\[[ 0-9.]+\] ( *((not )?ok [0-9]|# ).*)/# | \1/p' "$tmp/log"

# Of each case there is a line that is four blanks deeper than that of its suite.
cases=$(grep -E '^\[[ 0-9.]+\] {5}(not )?ok [0-9]' "$tmp/log")
skipped=$(grep -c '# SKIP' <<< "$cases")
failed=$(grep -c ' not ok ' <<< "$cases")
passed=$(grep ' ok ' <<< "$cases" | grep -vc ' not ok \|# SKIP')
if [ $status -ne 0 ] || ! grep -q '\] all suites were loaded$' "$tmp/log" ||
   complains "$tmp/log"; then
	tail -n 100 "$tmp/log"
	[ "$failed" -gt 0 ] || failed=1
fi
# What is skipped does not exist where pages are large, and fails nothing.
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
