#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a packet costs, in executed instructions, and an interface in memory.
#
#	tools/bench/bench.sh		all, next to the floor, the fabric and ib_ipoib
#	tools/bench/bench.sh smoke	this driver alone, against what was recorded
#	tools/bench/bench.sh record	all, and its figures are recorded
#
#	bench.sh      boots the machine; what it says is in build/bench
#	bench-init    in there: makes hosts over each driver, and runs loads
#	load.c        a load; marks where it begins and ends
#	counter.c     a plugin of QEMU, counts what is executed between the marks
#	report.py     makes tables and a plot of it
#	recorded      the figures that smoke compares with
#
# The machine has one CPU, whose clock counts its instructions, so that figures hardly
# depend on the host. It has no disk and writes nothing while it is being counted.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../scripts/common.sh"

what=${1:-all}
out=$top/build/bench
build_for_vm fabric || exit 1
"$top/scripts/packages.sh" bench || exit 1
mkdir -p "$out" && rm -rf "$out"/{initrd,console,counts}
mkdir -p "$out"/initrd/{bin,modules,programs} || exit 1

cc -O2 -Wall -shared -fPIC -fvisibility=hidden \
	-o "$out/counter.so" "$here/counter.c" || exit 1
cc -O2 -Wall -Wextra -static -o "$out/initrd/bin/load" "$here/load.c" || exit 1

# add_program NAME - and what it is linked with
add_program()
{
	local path file

	path=$(PATH=$PATH:/usr/sbin:/sbin command -v "$1") || die "no $1"
	cp "$path" "$out/initrd/programs/" || return
	while read -r file; do
		mkdir -p "$out/initrd${file%/*}" &&
			cp -L "$file" "$out/initrd$file" || return
	done < <(ldd "$path" | grep -o '/[^ ]*')
}

# add_modules NAME... - and what they need, in the order of loading: prints the files
add_modules()
{
	local file

	while read -r file; do
		unpack_module "$file" "$out/initrd/modules"
	done < <(/sbin/modprobe -S "$KVER" -C /dev/null -a --show-depends "$@" |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
}

make_initrd()
{
	local program base fabric

	cp /bin/busybox "$out/initrd/bin/"
	for program in ip ethtool opensm; do
		add_program $program || return
	done
	base=$(add_modules veth | xargs)
	# All that the in-tree driver needs, but not itself
	fabric=$(add_modules ib_umad ib_cm ib_ipoib | grep -vx ib_ipoib.ko | xargs)
	cp "$top"/drivers/infiniband/{sw/ibdevsim/ibdevsim{,_loop},ulp/ipoib/ipoib}.ko \
		"$out/initrd/modules/" && strip -g "$out"/initrd/modules/*.ko || return
	install -m 755 "$here/bench-init" "$out/initrd/init"
	# It neither sweeps the fabric for its own sake nor keeps its log to itself.
	printf '%s\n' 'force_log_flush TRUE' 'sweep_interval 0' > "$out/initrd/sm.conf"
	printf '%s\n' 'Default=0x7fff, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;' \
		'storage=0x0001, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;' \
		> "$out/initrd/sm.partitions"
	cat > "$out/initrd/bench.conf" << CONF
base_modules='$base'
fabric_modules='$fabric'
drivers='$drivers'
floor=$floor
volume=$volume
CONF
	(cd "$out/initrd" && find . | cpio --quiet -o -H newc) > "$out/initrd.img"
}

drivers='ib_ipoib ipoib' floor=yes volume=1
[ "$what" != smoke ] || drivers=ipoib floor='' volume=4

make_initrd || die "cannot make the machine's initramfs"
image=$(kernel_image "$KVER") || die "no image of kernel $KVER"
boot=$(unpacked_image "$image") || exit 1

qemu=''
# shellcheck disable=SC2317	# called by trap
cleanup()
{
	trap '' INT TERM HUP
	[ -z "$qemu" ] || kill "$qemu" 2> /dev/null
	wait
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

cmdline="console=ttyS0 quiet panic=-1 nokaslr random.trust_cpu=on no_timer_check tsc=reliable"
echo "Counting instructions ($what), on Linux $KVER ..." >&2
timeout -k 2 1200 qemu-system-x86_64 -accel tcg,thread=single -cpu max,-erms \
	-icount shift=0,sleep=off -rtc clock=vm -smp 1 -m 1024 \
	-no-reboot -nodefaults -display none -serial "file:$out/console" \
	-plugin "$out/counter.so,out=$out/counts" \
	-kernel "$boot" -initrd "$out/initrd.img" -append "$cmdline" < /dev/null &
qemu=$!
wait "$qemu"
qemu=''
exec "$here/report.py" "$what" "$out" "$here/recorded"
