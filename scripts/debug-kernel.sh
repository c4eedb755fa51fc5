#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# debug-kernel.sh [kasan|kcsan|gcov|uml|uml-kasan] - sees to it that the kernel which checks
# itself, or counts, is built, from Debian's source, and prints the directory it is installed
# under: lib/modules/VERSION has the modules, the image, and build for what is built for it.
# The image of those of uml is a program.
# Another version of the source, or another configuration, builds another kernel.
set -u
. "$(dirname "$0")/common.sh"
PATH+=:/sbin

flavour=${1:-kasan}
config=$top/scripts/debug-kernel.config
case $flavour in
kasan | kcsan | gcov) machine=qemu arch=x86_64 image=vmlinux ;;
uml | uml-kasan) machine=uml arch=um image=linux ;;
*) die "no configuration $flavour" ;;
esac
config_files=("$config" "${config%.*}.$machine")
[ $machine = "$flavour" ] || config_files+=("${config%.*}.${flavour#uml-}")
[ "$flavour" != uml-kasan ] || config_files+=("${config%.*}.$flavour")
# What a flavour alone needs to be changed in the source
own_patch=${config%.*}.$flavour.patch
"$top/scripts/need.sh" debug || exit 1

name=linux-source-6.1
version=$(dpkg-query -W -f '${Version}' $name) || exit 1

# unpack DIR - as far as the configuration can have use for it
unpack()
{
	echo "Unpacking $name $version, once ..." >&2
	tar -C "$1" --strip-components=1 -xJf "/usr/src/$name.tar.xz" \
		--exclude="$name/arch/[!ux]*/*.[chS]" --exclude="$name/arch/*.dts*" \
		--exclude="$name/drivers/gpu/*.[ch]" --exclude="$name/drivers/media/*.[ch]" \
		--exclude="$name/drivers/net/ethernet/*.[ch]" \
		--exclude="$name/drivers/net/wireless/*.[ch]" \
		--exclude="$name/drivers/s[ct][as]*/*.[ch]" \
		--exclude="$name/sound/*.[ch]" --exclude="$name/Documentation/*.*" \
		--exclude="$name/tools/testing/*.*" --exclude="$name/tools/perf/*.*"
}

# change DIR - a fault of the kernel's own may have been mended there already
change()
{
	patch -fsp1 -d "$1" < "${config%.*}.patch" >&2 || return
	patch -fsp1 -d "$1" --dry-run -R < "${config%.*}.rxe.patch" > /dev/null ||
		patch -fsp1 -d "$1" < "${config%.*}.rxe.patch" >&2
}

# full_source - one directory for all flavours. In a subshell, that lets go of the lock.
full_source()
{
	local dir

	dir=$cache/debug-source-$( (echo "$version"; declare -f unpack change
		cat "${config%.*}".{patch,rxe.patch}) | md5sum | cut -c1-8)
	exec 8> "$cache/debug-source.lock" && flock 8 || exit
	if [ ! -d "$dir" ]; then
		# Not this far the last time
		rm -rf "$dir".*
		mkdir -p "$dir.$$"
		unpack "$dir.$$" || die "cannot unpack $name"
		change "$dir.$$" || die "${config%.*}.patch or .rxe.patch does not fit $name $version"
		mv -T "$dir.$$" "$dir" || die "cannot make $dir"
	fi
	echo "$dir"
}

# own_source - of this flavour, if it has a patch: all files but those of the patch are the
# same files, so it takes no space. In a subshell, as full_source.
own_source()
{
	local all dir

	all=$(full_source) || exit
	[ -e "$own_patch" ] || { echo "$all"; exit; }
	dir=$all-$flavour-$(md5sum < "$own_patch" | cut -c1-8)
	exec 8> "$cache/debug-source.lock" && flock 8 || exit
	if [ ! -d "$dir" ]; then
		# Not this far the last time
		rm -rf "$dir".*
		cp -al "$all" "$dir.$$" || die "cannot copy $all"
		patch -fsp1 -d "$dir.$$" < "$own_patch" >&2 || die "$own_patch does not fit"
		mv -T "$dir.$$" "$dir" || die "cannot make $dir"
	fi
	touch "$all"
	echo "$dir"
}

# forget - what nobody has used for a month: a kernel takes 70 MB, a source 500
forget()
{
	touch "$src" "$dir"
	find "$cache" -maxdepth 1 -name 'debug-*' -mtime +30 -exec rm -rf {} +
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
	echo "Building the debug kernel ($flavour), once: some 10 minutes on 2 CPUs ..." >&2
	cat "${config_files[@]}" > fragment &&
	make -s -C "$src" ARCH=$arch O="$PWD" KCONFIG_ALLCONFIG="$PWD/fragment" allnoconfig \
		> build.log 2>&1 && wanted || return
	{ nice -n 19 make -C "$src" ARCH=$arch O="$PWD" -j"${JOBS:-$(nproc)}" $image modules 2>&1 ||
		echo "FAILED"; } | tee -a build.log | say_progress
	[ "$(tail -n 1 build.log)" != FAILED ] || return
	release=$(make -s ARCH=$arch kernelrelease) || return
	make -s ARCH=$arch INSTALL_MOD_PATH="$PWD/root" modules_install >> build.log 2>&1 &&
	cp $image "root/lib/modules/$release/vmlinuz"
}

# remove_objects - which a build of modules does not read
remove_objects()
{
	find . -path ./root -prune -o -path ./scripts -prune -o -path ./tools -prune -o \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '.tmp_vmlinux*' \) \
		-exec rm {} +
}

mkdir -p "$cache"
src=$(own_source) || exit
dir=$cache/debug-$flavour-$( (echo "$src"; gcc --version; declare -f build
	cat "${config_files[@]}") | md5sum | cut -c1-8)
mkdir -p "$dir"
cd "$dir" || exit 1
exec 9> lock
flock -n 9 || {
	echo "Waiting for another build of it ..." >&2
	flock 9
}
[ -e built ] || { build && remove_objects && touch built; } || {
	tail -n 30 build.log >&2
	die "the debug kernel does not build; see $dir/build.log"
}
forget
echo "$dir/root"
