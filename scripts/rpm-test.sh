#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rpm-test.sh - the life of the RPM packages: built, with the files of Debian's, installed and
# removed; and what an initramfs has of the driver meanwhile. By root, and as package-root.sh says,
# so that nothing of it stays; on Debian, whose rpm knows of no other package.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package-root.sh"
. "$(dirname "$0")/package-checks.sh"

[ $# -gt 0 ] || go_there rpm build

# rpm_built - the packages of either kind, of the same tree; below /mnt
rpm_built()
{
	local version

	copied /mnt/ipoib &&
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

# rpm_installed - DKMS has compiled the driver, and whatever asks for ib_ipoib gets it
rpm_installed()
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

# rpm_removed - both packages, and all that they have made
rpm_removed()
{
	rpm_here --erase ipoib-dkms ipoib-tools && ! modinfo -k "$kernel" ipoib &&
		! ls -d /usr/src/ipoib-* /var/lib/dkms/ipoib /usr/lib/modprobe.d/ipoib.conf /usr/bin/ipoib
}

# life - one line for each result
life()
{
	check "they are built" rpm_built
	check "ipoib-dkms has the files of Debian's" same_files ipoib-dkms
	check "so has ipoib-tools" same_files ipoib-tools
	check "installed: whatever asks for ib_ipoib gets the driver" rpm_installed
	check "initramfs-tools: ipoib" initramfs_tools ipoib
	check "initramfs-tools: ib_ipoib brings the driver, too" initramfs_tools ib_ipoib
	check "dracut: ipoib" dracut_has ipoib
	check "dracut: ib_ipoib brings the driver, too" dracut_has ib_ipoib
	check "removed: nothing is left" rpm_removed
}

settle "$1"
log=/mnt/log
{ bare_modules "$kernel" && depmod "$kernel"; } || die "the kernel cannot be prepared"
counted life
