# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the scripts here share; to be sourced.

# shellcheck disable=SC2034	# used by whoever sources this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ipoib
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

# kernel_source - the directory where Debian's kernel source lies unpacked, as far
# as it takes to run checkpatch and to build a user mode kernel without devices
kernel_source()
{
	local name=linux-source-6.1 version dir

	version=$(dpkg-query -W -f '${Version}' $name) || return
	# Another version of the package, or of this function, unpacks anew.
	dir=$cache/$name-$( (echo "$version"; declare -f kernel_source) | md5sum | cut -c1-8)
	if [ ! -d "$dir" ]; then
		echo "Unpacking $name $version, once ..." >&2
		mkdir -p "$dir.$$" &&
		tar -C "$dir.$$" --strip-components=1 -xJf "/usr/src/$name.tar.xz" \
			--exclude="$name/arch/[!ux]*/*.*" \
			--exclude="$name/drivers/[!bctv]*/*/*.[chS]" \
			--exclude="$name/Documentation/*.*" \
			--exclude="$name/sound/*.*" \
			--exclude="$name/tools/[!it]*/*" \
			--exclude="$name/tools/testing/[!k]*" || return
		mv -T "$dir.$$" "$dir" 2> /dev/null || rm -rf "$dir.$$"
	fi
	echo "$dir"
}

# build_for_vm - builds the modules for the kernel to be booted, with build_options for
# make, and sets vm to the command that runs something there. KVER, KDIR: as for make.
# KROOT: as --root.
build_options=()
build_for_vm()
{
	"$top/scripts/need.sh" build vm test || return
	if [ -z "${KVER-}" ] && [ -n "${KDIR-}" ]; then
		KVER=$("$top/scripts/release.sh" "$KDIR") || return
	fi
	: "${KVER:=$(newest_kernel '' has_headers)}"
	export KVER
	make -s -C "$top" -j"$(nproc)" "${build_options[@]}" modules || return
	vm=("$top/scripts/vm" --kernel "$KVER")
	[ -z "${KROOT-}" ] || vm+=(--root "$KROOT")
}
