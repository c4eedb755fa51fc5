#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rpm-test.sh - the life of the RPM packages: built, with the files of Debian's, installed and
# removed; and what an initramfs has of the driver meanwhile. By root, in a mount namespace like
# that of package-test.sh, on Debian, whose rpm knows of no other package: nothing of it stays.
set -u
. "$(dirname "$0")/common.sh"

# It begins anew in the namespace, with the directory of the programs as its argument.
if [ $# -eq 0 ]; then
	[ "$(id -u)" -eq 0 ] || exec sudo -H env ${KVER:+KVER="$KVER"} "$0"
	"$top/scripts/packages.sh" build || exit 1
	root=$("$top/scripts/tools-root.sh" rpm) || exit 1
	exec unshare --mount "$0" "$root"
fi

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
	[ "$(realpath /lib/modules)" = /usr/lib/modules ] && [ -x "$0" ] && mkdir -m 1777 /mnt/tmp
}

# bare KERNEL - none is there but that, and nothing was installed by hand
bare()
{
	local other

	for other in /lib/modules/*; do
		[ "${other##*/}" = "$1" ] || rm -rf "$other"
	done
	rm -rf "/lib/modules/$1/updates" /etc/modprobe.d/ipoib.conf
	depmod "$1"
}

# built - the packages of either kind, of the same tree; below /mnt
built()
{
	local version

	mkdir /mnt/ipoib && tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C /mnt/ipoib -x &&
		version=$(sed -n 's/^Version: //p' /mnt/ipoib/rpm/ipoib.spec) &&
		tar -C /mnt --transform "s,^ipoib,ipoib-$version," -czf "/mnt/ipoib-$version.tar.gz" ipoib &&
		(cd /mnt/ipoib && dpkg-buildpackage -b -us -uc -d) &&
		rpmbuild -bb --nodeps -D "_topdir /mnt/rpm" -D "_sourcedir /mnt" /mnt/ipoib/rpm/ipoib.spec
}

# same_files PACKAGE - in both kinds of it, but for what each kind has to say of itself
same_files()
{
	dpkg-deb --contents "/mnt/$1"_*.deb | awk '{ print $1, substr($6, 2) }' | shared > /mnt/deb.files
	rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' /mnt/rpm/RPMS/*/"$1"-[0-9]*.rpm |
		shared > /mnt/rpm.files
	[ -s /mnt/rpm.files ] && diff /mnt/deb.files /mnt/rpm.files
}

shared()
{
	grep '^-' | grep -v -e /usr/share/doc/ -e /usr/share/licenses/ -e /usr/lib/.build-id/ |
		sed 's/\.gz$//' | sort
}

rpm_here()
{
	rpm --dbpath /mnt/rpmdb --force-debian --nodeps "$@"
}

# installed - DKMS has compiled the driver, and whatever asks for ib_ipoib gets it
installed()
{
	local name said

	rpm_here --install /mnt/rpm/RPMS/*/*.rpm && ipoib --help || return
	for name in ib_ipoib ipoib rtnl-link-ipoib; do
		said=$(modprobe -S "$kernel" --show-depends $name)
		echo "$said"
		[[ ${said##*$'\n'} == insmod\ */updates/dkms/ipoib.ko* ]] || return
	done
}

# has_driver FILES - they are those of an initramfs, with an HCA's driver and this one
has_driver()
{
	echo "$1" | grep -e ipoib -e mlx5_ib -e ib_cm
	[[ $1 == */updates/dkms/ipoib.ko* && $1 == */mlx5_ib.ko* && $1 == */ib_cm.ko* &&
		$1 != */ib_ipoib.ko* ]]
}

# initramfs_tools MODULE - that, in the list of modules, brings the driver
initramfs_tools()
{
	# Otherwise it takes some hundred modules without being asked.
	echo MODULES=list > /etc/initramfs-tools/conf.d/ipoib &&
		printf '%s\n' mlx5_ib "$1" > /etc/initramfs-tools/modules &&
		mkinitramfs -o /mnt/initramfs "$kernel" && has_driver "$(lsinitramfs /mnt/initramfs)"
}

# dracut_has MODULE - that, to be loaded, brings the driver
dracut_has()
{
	echo "force_drivers+=\" mlx5_ib $1 \"" > /etc/dracut.conf.d/ipoib.conf &&
		dracut --force --no-hostonly --modules base --kver "$kernel" /mnt/initramfs &&
		has_driver "$(lsinitrd /mnt/initramfs)" &&
		lsinitrd -f etc/cmdline.d/20-force_drivers.conf /mnt/initramfs | grep -x "rd.driver.pre=$1"
}

# removed - both packages, and all that they have made
removed()
{
	rpm_here --erase ipoib-dkms ipoib-tools && ! modinfo -k "$kernel" ipoib &&
		! ls -d /usr/src/ipoib-* /var/lib/dkms/ipoib /usr/lib/modprobe.d/ipoib.conf /usr/sbin/ipoib
}

logged()
{
	"$@" > /mnt/log 2>&1
}

passed=0 failed=0
# check WHAT COMMAND... - a result, and what was said if it is not good
check()
{
	if still "at it: $1" logged "${@:2}"; then
		echo "ok   $1"
		passed=$((passed + 1))
	else
		echo "FAIL $1"
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
check "they are built" built
check "ipoib-dkms has the files of Debian's" same_files ipoib-dkms
check "so has ipoib-tools" same_files ipoib-tools
check "installed: whatever asks for ib_ipoib gets the driver" installed
check "initramfs-tools: ipoib" initramfs_tools ipoib
check "initramfs-tools: ib_ipoib brings the driver, too" initramfs_tools ib_ipoib
check "dracut: ipoib" dracut_has ipoib
check "dracut: ib_ipoib brings the driver, too" dracut_has ib_ipoib
check "removed: nothing is left" removed
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
