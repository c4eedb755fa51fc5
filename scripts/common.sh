# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the scripts here share; to be sourced.

# shellcheck disable=SC2034	# used by whoever sources this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Whoever has no HOME has one in /etc/passwd.
[ -n "${HOME-}" ] || HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME
case ${XDG_CACHE_HOME-} in
/*) cache=$XDG_CACHE_HOME/ipoib ;;
*) cache=$HOME/.cache/ipoib ;;
esac
module=$top/drivers/infiniband/ulp/ipoib/ipoib.ko

# When make ran the script: what is made here is another make's business, and
# what the user did not say is unset rather than empty.
unset MAKEFLAGS MFLAGS MAKELEVEL
for v in KVER KDIR KROOT; do
	[ -n "${!v-}" ] || unset $v
done

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# says_still WHAT - once in 50 seconds, until its input ends
says_still()
{
	local began=$EPOCHSECONDS next=$((EPOCHSECONDS + 50)) status=142

	while [ $status -gt 128 ]; do
		read -rt 2
		status=$?
		[ $EPOCHSECONDS -ge $next ] || continue
		next=$((next + 50))
		echo "     ... still $1 ($((EPOCHSECONDS - began)) s)" >&2
	done
}

# still WHAT COMMAND... - while the command runs, says so once in 50 seconds
still()
{
	local clock alive status

	# It ends when nobody has the other end of its input, and not by a signal: that could come
	# while it still has the traps of who started it, which clean up.
	exec {alive}> >(says_still "$1")
	clock=$!
	eval '"${@:2}"' "$alive>&-"
	status=$?
	exec {alive}>&-
	wait $clock 2> /dev/null
	return $status
}

# need_cache - what takes long to make is kept in $cache
need_cache()
{
	{ mkdir -p "$cache" 2> /dev/null && [ -w "$cache" ] && [ -x "$cache" ]; } ||
		die "$(id -un) cannot write to $cache, where kernels and the like are kept;" \
			"say XDG_CACHE_HOME=DIRECTORY for another place"
}

# need_tree - can this user compile here?
need_tree()
{
	local foreign

	case $top in
	*[[:space:]:\'\"]*) die "compiling does not work below a directory with a space," \
		"a colon or a quote in its name: $top" ;;
	esac
	# What root compiled here another user cannot overwrite.
	foreign=$(find "$top" -path "$top/.git" -prune -o ! -writable \
		\( -type d -o -name '*.o' -o -name '*.ko' -o -name '*.mod*' -o -name '.*.cmd' \) \
		-print -quit)
	[ -z "$foreign" ] ||
		die "$foreign belongs to $(stat -c %U "$foreign"), and $(id -un) cannot write to it;" \
			"compile in a clone of your own, or as its owner: make clean"
}

# kernel_image VERSION [ROOT] - where that kernel's image lies
kernel_image()
{
	local f

	for f in "${2-}/boot/vmlinuz-$1" "${2-}/lib/modules/$1/vmlinuz" \
		 "${2-}/usr/lib/modules/$1/vmlinuz"; do
		[ -r "$f" ] && echo "$f" && return
	done
	return 1
}

# unpacked_image IMAGE - prints the image to boot. QEMU need not go through firmware
# and decompressor for a kernel with a PVH entry; that is most of the time to boot under
# emulation.
unpacked_image()
{
	local image=$1 sects off len magic cat out

	out=$cache/vmlinux-$(stat -Lc '%n %s %Y' "$image" | md5sum | cut -c1-16)
	[ -e "$out" ] && echo "$out" && return

	# Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length
	sects=$(od -An -tu1 -j $((0x1f1)) -N1 "$image")
	off=$(od -An -tu4 -j $((0x248)) -N4 "$image")
	len=$(od -An -tu4 -j $((0x24c)) -N4 "$image")
	off=$(((sects + 1) * 512 + off))
	magic=$(od -An -tx1 -j "$off" -N4 "$image")
	case $magic in
	' fd 37 7a 58') cat='xz -dc --single-stream' ;;
	' 28 b5 2f fd') cat='zstd -dc' ;;
	' 1f 8b'*) cat='gzip -dc' ;;
	*) echo "$image"; return ;;
	esac
	# The payload ends with its unpacked size, which zstd and gzip complain
	# about when all is written.
	tail -c +$((off + 1)) "$image" | head -c "$len" | $cat > "$out.$$" 2> /dev/null
	# The note that gives the PVH entry
	if readelf -n "$out.$$" 2> /dev/null | grep -q 0x00000012; then
		mv "$out.$$" "$out"
		echo "$out"
	else
		rm "$out.$$"
		echo "$image"
	fi
}

# newest_kernel ROOT [TEST...] - newest version under ROOT that has an image and
# for which TEST VERSION succeeds
newest_kernel()
{
	local root=$1 v
	shift

	while read -r v; do
		kernel_image "$v" "$root" > /dev/null || continue
		[ $# -gt 0 ] && ! "$@" "$v" && continue
		echo "$v"
		return
	done < <(cd "$root/lib/modules" 2>/dev/null && printf '%s\n' * | sort -rV)
	return 1
}

# has_headers VERSION - can modules be built for it, and does it do soft-RoCE?
has_headers()
{
	[ -e "/lib/modules/$1/build/Makefile" ] &&
	[ -n "$(find "/lib/modules/$1/kernel/drivers/infiniband/sw/rxe" \
		-name 'rdma_rxe.ko*' 2>/dev/null)" ]
}

# unpack_source ARCHIVE DIR - of a kernel, as far as a kernel of ours can have use for it, and YNL
# with its schemas
unpack_source()
{
	tar -C "$2" --strip-components=1 -xJf "$1" \
		--exclude='*/arch/[!ux]*/*.[chS]' --exclude='*/arch/*.dts*' \
		--exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' \
		--exclude='*/drivers/net/ethernet/*.[ch]' \
		--exclude='*/drivers/net/wireless/*.[ch]' \
		--exclude='*/drivers/s[ct][as]*/*.[ch]' \
		--exclude='*/sound/*.[ch]' --exclude='*/Documentation/*.[!y]*' \
		--exclude='*/Documentation/devicetree/*.*' \
		--exclude='*/tools/testing/*.*' --exclude='*/tools/perf/*.*'
}

# kernel_scripts - the directory where Debian's kernel source lies, its scripts alone:
# checkpatch, kernel-doc and what they read
kernel_scripts()
{
	local name=linux-source-6.1 version dir

	version=$(dpkg-query -W -f '${Version}' "$name") || return
	# Another version of the package, or of this function, unpacks anew.
	dir=$cache/kernel-scripts-$( (echo "$version"; declare -f kernel_scripts) | md5sum | cut -c1-8)
	if [ ! -d "$dir" ]; then
		echo "Unpacking the scripts of $name $version, once ..." >&2
		mkdir -p "$dir.$$" &&
		tar -C "$dir.$$" --strip-components=1 -xJf "/usr/src/$name.tar.xz" \
			"$name/scripts" || return
		mv -T "$dir.$$" "$dir" 2> /dev/null || rm -rf "$dir.$$"
	fi
	echo "$dir"
}

# own_kernel NAME - sees to it that this kernel of debug-kernel.sh is there; sets KROOT,
# KVER and KDIR for it, and built to a directory for what is compiled for it
own_kernel()
{
	KROOT=$(still "building the kernel" "$top/scripts/debug-kernel.sh" "$1") || return
	KVER=$(ls "$KROOT/lib/modules")
	KDIR=$(realpath "$KROOT/lib/modules/$KVER/build")
	export KROOT KVER KDIR
	built=$top/build/$1
}

# link_tree - makes $built a tree of links to all that is compiled, so that what is compiled
# for one kernel need not be compiled again after another one's turn
link_tree()
{
	local file

	mkdir -p "$built" && (
		cd "$top" || exit
		find Makefile Kbuild drivers include scripts/release.sh \
			tools/testing/selftests/checkers/test_modules -type f \
			\( -name '*.[chS]' -o -name 'Make*' -o -name 'Kbuild' -o -name '*.sh' \) \
			! -name '*.mod.c' | sort > "$built/sources.$$"
		# What is gone from the tree is gone there.
		if ! cmp -s "$built/sources.$$" "$built/sources"; then
			find "$built" -type l -delete
			while read -r file; do
				[[ $file != */* ]] || mkdir -p "$built/${file%/*}"
				ln -sf "$top/$file" "$built/$file"
			done < "$built/sources.$$"
		fi
		mv "$built/sources.$$" "$built/sources"
	)
}

# unpack_module FILE DIRECTORY - as /lib/modules has it; prints its name there
unpack_module()
{
	local name

	name=$(basename "$1")
	case $name in
	*.xz) name=${name%.xz}; xz -dc "$1" ;;
	*.zst) name=${name%.zst}; zstd -qdc "$1" ;;
	*.gz) name=${name%.gz}; gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac > "$2/module.$$" && mv "$2/module.$$" "$2/$name" && echo "$name"
}

# build_for_vm PURPOSE... - builds the modules for the kernel to be booted, with
# build_options for make, and sets vm to the command that runs something there, for which
# the packages for these purposes are installed, too. KVER, KDIR: as for make. KROOT: as
# --root.
build_options=() built=$top
build_for_vm()
{
	local building

	need_tree
	need_cache
	"$top/scripts/packages.sh" build test "$@" || return
	if [ -z "${KVER-}" ] && [ -n "${KDIR-}" ]; then
		KVER=$("$top/scripts/release.sh" "$KDIR") || return
	fi
	if grep -qsx CONFIG_UML=y "${KDIR-}/.config"; then
		build_options+=(ARCH=um)
		vm=("$top/scripts/um" --root "$KROOT")
	else
		# Where there was no kernel to boot, there is one then.
		"$top/scripts/packages.sh" vm || return
		: "${KVER:=$(newest_kernel '' has_headers)}"
		vm=("$top/scripts/vm" --kernel "$KVER")
		[ -z "${KROOT-}" ] || vm+=(--root "$KROOT")
	fi
	export KVER
	# Of two that compile in this tree one waits.
	mkdir -p "$top/build" && exec {building}> "$top/build/compile.lock" && flock "$building" ||
		return
	[ "$built" = "$top" ] || link_tree || return
	echo "Compiling the drivers for Linux $KVER (a minute at first, then seconds) ..." >&2
	still compiling make -s -C "$built" -j"$(nproc)" "${build_options[@]}" modules || return
	exec {building}>&-
	if [ "${vm[0]}" = "$top/scripts/vm" ] && [ -e /dev/kvm ] && [ ! -w /dev/kvm ]; then
		echo "Without KVM, which is slower: $(id -un) may not use /dev/kvm." \
			"(sudo adduser $(id -un) kvm, and log in again)" >&2
	fi
}
