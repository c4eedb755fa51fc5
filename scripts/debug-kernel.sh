#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# debug-kernel.sh FLAVOUR - sees to it that this kernel is built, from Debian's source, and
# prints the directory it is installed under: lib/modules/VERSION has the modules, the image,
# and build for what is built for it.
#
# memory, locks   check themselves, in user mode; the image is a program
# lockstat        counts from which CPU each lock comes, in user mode
# plain           the same without checkers, but for locks nobody holds
# virtual         the same for tests of hours: where nothing runs, time is skipped
# kasan, kcsan    check themselves, in QEMU
# gcov            counts which lines run, in QEMU
# pages64         has pages of 64 KiB, of arm64, in QEMU, for make cross
# pages64-headers  of that one only what modules are compiled with, which takes a minute
#
# Another version of the source, or another configuration, builds another kernel.
set -u
. "$(dirname "$0")/common.sh"
PATH+=:/sbin

flavour=${1-}
config=$top/scripts/debug-kernel.config
case $flavour in
kasan | kcsan | gcov) machine=qemu arch=x86_64 image=vmlinux purpose=debug ;;
memory | locks | lockstat | plain | virtual) machine=um arch=um image=linux purpose=um ;;
pages64 | pages64-headers)
	machine=arm64 arch=arm64 image=vmlinux purpose=cross
	export CROSS_COMPILE=aarch64-linux-gnu- ;;
*) die "no kernel '$flavour'" ;;
esac
config_files=("$config" "${config%.*}".{"$machine","${flavour%-headers}"})
"$top/scripts/packages.sh" $purpose || exit 1

name=linux-source-6.1

# change DIR - a fault of the kernel's own may have been mended there already
change()
{
	patch -fsp1 -d "$1" < "${config%.*}.patch" >&2 || return
	patch -fsp1 -d "$1" --dry-run -R < "${config%.*}.rxe.patch" > /dev/null ||
		patch -fsp1 -d "$1" < "${config%.*}.rxe.patch" >&2
}

# changed_source - one directory for all of QEMU's. In a subshell, that lets go of the lock.
changed_source()
{
	local dir

	version=$(dpkg-query -W -f '${Version}' $name) || exit 1
	dir=$cache/debug-source-$( (echo "$version"; declare -f unpack_source change
		cat "${config%.*}".{patch,rxe.patch}) | md5sum | cut -c1-8)
	exec 8> "$cache/debug-source.lock" && flock 8 || exit
	if [ ! -d "$dir" ]; then
		# Not this far the last time
		rm -rf "$dir".*
		mkdir -p "$dir.$$"
		echo "Unpacking $name $version, once ..." >&2
		unpack_source "/usr/src/$name.tar.xz" "$dir.$$" || die "cannot unpack $name"
		change "$dir.$$" || die "${config%.*}.patch or .rxe.patch does not fit $name $version"
		mv -T "$dir.$$" "$dir" || die "cannot make $dir"
	fi
	echo "$dir"
}

# forget - what nobody has used for a month: a kernel takes 70 MB, a source 500. The time of a
# source from backports is that when somebody looked for a newer one
forget()
{
	touch "$dir"
	[ $machine != qemu ] || touch "$src"
	find "$cache" -maxdepth 1 ! -path "$src" \( -name 'debug-*' -o -name 'linux-source-[0-9]*' \) \
		-mtime +30 -exec rm -rf {} +
}

# say_progress - of a build, from what make says it does
say_progress()
{
	awk '/^  (AS|CC|LD|AR) / && ++n % 100 == 0 {
		print "  " n " of about 1500 files"
		fflush()
	}' >&2
}

# wanted - fails for an option of the configuration that did not come about: its
# dependencies are not what they were
wanted()
{
	local option status=0

	while read -r option; do
		case $option in
		*=n) ! grep -q "^${option%n}[ym]" .config ;;
		CONFIG*) grep -qxF "$option" .config ;;
		*) continue ;;
		esac && continue
		echo "debug-kernel: not so in .config: $option" >&2
		status=1
	done < fragment
	return $status
}

build()
{
	echo "Building the kernel \"$flavour\", once: some minutes ..." >&2
	cat "${config_files[@]}" > fragment &&
	make -s -C "$src" ARCH=$arch O="$PWD" KCONFIG_ALLCONFIG="$PWD/fragment" allnoconfig \
		> build.log 2>&1 && wanted || return
	{ make -C "$src" ARCH=$arch O="$PWD" -j"${JOBS:-$(nproc)}" $image modules 2>&1 ||
		echo "FAILED"; } | tee -a build.log | say_progress
	[ "$(tail -n 1 build.log)" != FAILED ] || return
	release=$(make -s ARCH=$arch kernelrelease) || return
	make -s ARCH=$arch INSTALL_MOD_PATH="$PWD/root" modules_install >> build.log 2>&1 &&
	cp $image "root/lib/modules/$release/vmlinuz"
}

# prepare - as far as modules need it that nobody loads: which symbols there are is not known
prepare()
{
	echo "Preparing the headers of the kernel \"${flavour%-headers}\", once: a minute ..." >&2
	cat "${config_files[@]}" > fragment &&
	make -s -C "$src" ARCH=$arch O="$PWD" KCONFIG_ALLCONFIG="$PWD/fragment" allnoconfig \
		> build.log 2>&1 && wanted &&
	make -s ARCH=$arch -j"${JOBS:-$(nproc)}" modules_prepare >> build.log 2>&1 &&
	release=$(make -s ARCH=$arch kernelrelease) && mkdir -p "root/lib/modules/$release" &&
	ln -sfn "$PWD" "root/lib/modules/$release/build" && : > Module.symvers
}

# remove_objects - which a build of modules does not read
remove_objects()
{
	find . -path ./root -prune -o -path ./scripts -prune -o -path ./tools -prune -o \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '.tmp_vmlinux*' \) \
		-exec rm {} +
}

mkdir -p "$cache"
case $machine in
um) src=$("$top/scripts/newest-source.sh") || exit ;;
arm64) src=$("$top/scripts/newest-source.sh" arch/arm64/kernel/setup.c) || exit ;;
qemu) src=$(changed_source) || exit ;;
esac
step=build
[[ $flavour != *-headers ]] || step=prepare
dir=$cache/debug-$flavour-$( (echo "$src"; "${CROSS_COMPILE-}gcc" --version; declare -f $step
	cat "${config_files[@]}") | md5sum | cut -c1-8)
mkdir -p "$dir"
cd "$dir" || exit 1
exec 9> lock
flock -n 9 || {
	echo "Waiting for another build of it ..." >&2
	flock 9
}
[ -e built ] || { $step && remove_objects && touch built; } || {
	tail -n 30 build.log >&2
	die "the kernel does not build; see $dir/build.log"
}
forget
echo "$dir/root"
