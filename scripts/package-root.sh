# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Where package-test.sh and rpm-test.sh try packages; to be sourced, after common.sh. A mount
# namespace where what is written to /boot, /etc, /usr and /var goes to memory, with the programs
# that it takes unpacked and not installed: nothing of it stays.

# go_there PROGRAMS PACKAGES... - begins the script anew in such a namespace, with the directory of
# those programs as its argument
go_there()
{
	local programs

	# Files of root's are copied before they are written to.
	[ "$(id -u)" -eq 0 ] || exec sudo -H env ${KVER:+KVER="$KVER"} "$0"
	"$top/scripts/packages.sh" "${@:2}" || exit 1
	programs=$("$top/scripts/tools-root.sh" "$1") || exit 1
	exec unshare --mount "$0" "$programs"
}

# settle DIR - the namespace: $kernel is the kernel that the packages are to serve
settle()
{
	kernel=${KVER:-$(newest_kernel '' has_headers)}
	[ -e "/lib/modules/${kernel:-none}/build/Makefile" ] || die "no headers of kernel $kernel"
	overlays "$1" || die "no overlays; this tree is not to be below /mnt, nor ~/.cache below what" \
		"they hide: /boot, /etc, /usr or /var"
	export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TMPDIR=/mnt/tmp
}

# overlays DIR - in place of the machine's, with the programs that are below that directory
overlays()
{
	local tree

	mount -t tmpfs -o mode=755 life /mnt || return
	for tree in boot etc usr var; do
		mkdir -p "$1/$tree" /mnt/{upper,work}/$tree &&
			mount -t overlay -o "lowerdir=$1/$tree:/$tree,upperdir=/mnt/upper/$tree,workdir=/mnt/work/$tree" \
				life /$tree || return
	done
	# What is removed from there is to be removed from the overlay.
	[ "$(realpath /lib/modules)" = /usr/lib/modules ] && [ -x "$0" ] &&
		mkdir -m 1777 /mnt/tmp
}

# bare_modules KERNEL - none is there but that, and nothing was installed by hand
bare_modules()
{
	local other

	for other in /lib/modules/*; do
		[ "${other##*/}" = "$1" ] || rm -rf "$other"
	done
	rm -rf "/lib/modules/$1/updates" /etc/modprobe.d/ipoib.conf
}

# copied DIR - this tree, to be built there
copied()
{
	mkdir -p "$1" && tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C "$1" -x
}

# counted COMMAND - runs it, which prints a line for each result; fails if one of them is bad
counted()
{
	local passed failed

	"$@" | tee /mnt/results
	passed=$(grep -c '^ok ' /mnt/results) failed=$(grep -c '^FAIL ' /mnt/results)
	echo "$passed passed, $failed failed, 0 skipped"
	[ "$failed" -eq 0 ]
}
