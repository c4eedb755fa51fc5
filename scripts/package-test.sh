#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# package-test.sh - the life of the Debian packages: built, installed, upgraded, there for a kernel
# that comes later, and removed. By root, in a mount namespace where what is written to /boot,
# /etc, /usr and /var goes to memory, with the programs that it takes unpacked and not installed:
# nothing of it stays.
set -u
. "$(dirname "$0")/common.sh"

# It begins anew in the namespace, with the directory of the programs as its argument.
if [ $# -eq 0 ]; then
	# Files of root's are copied before they are written to.
	[ "$(id -u)" -eq 0 ] || exec sudo -H env ${KVER:+KVER="$KVER"} "$0"
	"$top/scripts/packages.sh" build vm || exit 1
	root=$("$top/scripts/tools-root.sh" package) || exit 1
	exec unshare --mount "$0" "$root"
fi

# overlays DIR - what this script's own namespace has in place of the machine's; with the programs
# that are below that directory
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

# bare KERNEL - DKMS compiles for each that is there: none is but that, and without what was
# installed by hand. Nobody boots from here.
bare()
{
	local other

	for other in /lib/modules/*; do
		[ "${other##*/}" = "$1" ] || rm -rf "$other"
	done
	rm -rf "/lib/modules/$1/updates" /etc/modprobe.d/ipoib.conf
	depmod "$1" || return
	[ ! -d /etc/initramfs-tools ] ||
		echo update_initramfs=no > /etc/initramfs-tools/update-initramfs.conf || return
	echo 'autoinstall_all_kernels="yes"' >> /etc/dkms/framework.conf
}

# built VERSION - both packages are, with that version; below /mnt/VERSION
built()
{
	local dir=/mnt/$1/ipoib

	mkdir -p "$dir" && tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C "$dir" -x &&
		sed -i "1s/([^)]*)/($1)/" "$dir/debian/changelog" &&
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$dir/dkms.conf" &&
		sed -i "s/^MODULE_VERSION(.*/MODULE_VERSION(\"$1\");/" "$dir/drivers/infiniband/ulp/ipoib/main.c" &&
		(cd "$dir" && dpkg-buildpackage -b -us -uc -d) &&
		[ -f "/mnt/$1/ipoib-dkms_$1_all.deb" ]
}

# installed VERSION - over what is there; what they depend on is there, but dpkg knows of it not
installed()
{
	dpkg --force-depends --install "/mnt/$1"/ipoib-{dkms,tools}_*.deb && is_there "$1"
}

# is_there VERSION - the driver, for the kernel
is_there()
{
	local said

	said=$(modinfo -k "$kernel" -F version ipoib; modinfo -k "$kernel" -F filename ipoib;
		dkms status ipoib)
	echo "$said"
	[[ $said == "$1"$'\n'*/updates/dkms/ipoib.ko*$'\n'"ipoib/$1, $kernel, "*": installed" ]] &&
		[ "$(wc -l <<< "$said")" -eq 3 ]
}

# loads NAME PATTERN - the last thing that modprobe would do for that
loads()
{
	local said

	said=$(modprobe -S "$kernel" --show-depends "$1")
	echo "$said"
	# shellcheck disable=SC2053 # a pattern
	[[ ${said##*$'\n'} == $2 ]]
}

# asks_for_ours - whatever would have had ib_ipoib
asks_for_ours()
{
	local name

	for name in ib_ipoib ipoib rtnl-link-ipoib; do
		loads $name 'insmod */updates/dkms/ipoib.ko*' || return
	done
}

has_command()
{
	ipoib --help && man -w ipoib
}

# comes_later VERSION - the kernel, after that driver
comes_later()
{
	dkms unbuild "ipoib/$1" -k "$kernel" && ! modinfo -k "$kernel" ipoib &&
		/etc/kernel/postinst.d/dkms "$kernel" && is_there "$1"
}

# left_over - of what the packages had
left_over()
{
	ls -d /usr/src/ipoib-* /var/lib/dkms/ipoib "/lib/modules/$kernel"/updates/dkms/ipoib.ko* \
		/usr/lib/modprobe.d/ipoib.conf /usr/sbin/ipoib 2> /dev/null
}

# removed - both packages, and all that they have made
removed()
{
	dpkg --remove ipoib-dkms ipoib-tools && ! modinfo -k "$kernel" ipoib &&
		[ -z "$(left_over)" ] && ! dpkg --status ipoib-dkms
}

passed=0 failed=0
# logged COMMAND... - that it still runs goes past the log
logged()
{
	"$@" > /mnt/log 2>&1
}

# check WHAT COMMAND... - a result, and what was said if it is not good
check()
{
	local began=$SECONDS

	if still "at it: $1" logged "${@:2}"; then
		echo "ok   $1 ($((SECONDS - began)) s)"
		passed=$((passed + 1))
	else
		echo "FAIL $1 ($((SECONDS - began)) s)"
		tail -n 100 /mnt/log | sed 's/^/     /'
		failed=$((failed + 1))
	fi
}

kernel=${KVER:-$(newest_kernel '' has_headers)}
[ -e "/lib/modules/${kernel:-none}/build/Makefile" ] || die "no headers of kernel $kernel"
overlays "$1" || die "no overlays; this tree is not to be below /mnt, nor ~/.cache below what they hide:" \
	"/boot, /etc, /usr or /var"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TMPDIR=/mnt/tmp
bare "$kernel" || die "the kernel cannot be prepared"
check "the packages are built" built 1.0
check "installed: the driver is compiled, for $kernel" installed 1.0
check "whatever asks for ib_ipoib gets it" asks_for_ours
check "there is the command, with a manual" has_command
check "a newer one is built" built 1.1
check "upgraded: the newer driver takes its place" installed 1.1
check "a kernel that comes later has it, too" comes_later 1.1
check "removed: nothing is left" removed
check "whatever asks for ib_ipoib gets that" loads ib_ipoib 'insmod */ib_ipoib.ko*'
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
