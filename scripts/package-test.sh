#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# package-test.sh - the life of the Debian packages: built, compiled, and then in a virtual machine
# with systemd installed, upgraded and removed, with a boot after each. By root, and as
# package-root.sh says, so that nothing of it stays. The machine, which has that for its file
# system, would take ten times as long to compile: it is handed what DKMS has made here.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package-root.sh"
. "$(dirname "$0")/package-checks.sh"

[ $# -gt 0 ] || go_there package build vm

# bare KERNEL - DKMS compiles for each that is there: none is but that, and without what was
# installed by hand. Of its modules there are those that the machine has a use for: all of them
# would be read again and again. Nothing that is enabled on this machine is to start in that one.
bare()
{
	local modules=/lib/modules/$1

	bare_modules "$1"
	# What udev has loaded where there is an HCA, what process 1 asks for, and what its disks take.
	modprobe -S "$1" -C /dev/null -a --show-depends ib_{ipoib,umad,iser,uverbs} rdma_ucm rpcrdma \
		autofs4 binfmt_misc virtio_{pci,blk} 9pnet_virtio 9p overlay ext4 |
		awk '{ print $2 }' > /mnt/needed &&
		find "$modules/kernel" -type f | grep -vxFf /mnt/needed | xargs rm -f || return
	depmod "$1" &&
		echo update_initramfs=no > /etc/initramfs-tools/update-initramfs.conf &&
		echo 'autoinstall_all_kernels="yes"' >> /etc/dkms/framework.conf || return

	rm -rf /etc/{crypttab,fstab,modules} /etc/modules-load.d/* /etc/systemd/system/* /etc/rc?.d/* \
		/var/log/journal /var/lib/man-db/auto-update
	# Nobody logs in.
	ln -s /dev/null /etc/systemd/system/systemd-logind.service &&
		ln -s /dev/null /etc/systemd/system/getty.target || return
	# What is below /tmp may be this tree: it is not to be emptied at boot.
	mkdir -p /etc/tmpfiles.d && ln -sf /dev/null /etc/tmpfiles.d/tmp.conf || return
	[ -s /etc/machine-id ] || tr -d - < /proc/sys/kernel/random/uuid > /etc/machine-id
}

# built VERSION - both packages are, with that version; below /mnt/VERSION
built()
{
	local dir=/mnt/$1/ipoib

	copied "$dir" &&
		sed -i "1s/([^)]*)/($1)/" "$dir/debian/changelog" &&
		sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$dir/dkms.conf" &&
		sed -i "s/^MODULE_VERSION(.*/MODULE_VERSION(\"$1\");/" "$dir/drivers/infiniband/ulp/ipoib/main.c" &&
		(cd "$dir" && dpkg-buildpackage -b -us -uc -d) &&
		[ -f "/mnt/$1/ipoib-dkms_$1_all.deb" ]
}

# linted VERSION - tags of Debian's archive aside: this is no upload
linted()
{
	lintian --allow-root --fail-on error,warning --info \
		--suppress-tags initial-upload-closes-no-bugs "/mnt/$1"/*.deb
}

# kept VERSION - what DKMS has compiled
kept()
{
	is_there "$1" &&
		dkms mktarball "ipoib/$1" -k "$kernel" --binaries-only --archive "/mnt/ipoib-$1.dkms.tar.gz"
}

compiled()
{
	installed "$1" && kept "$1"
}

# comes_later VERSION - the kernel, after that driver
comes_later()
{
	mv "/lib/modules/$kernel/build" /mnt/headers && ! installed "$1" &&
		mv /mnt/headers "/lib/modules/$kernel/build" &&
		/etc/kernel/postinst.d/dkms "$kernel" && kept "$1"
}

# runs_here COMMAND... - as if this were the kernel that runs
runs_here()
{
	mkdir -p /mnt/bin && cat > /mnt/bin/uname <<- END && chmod +x /mnt/bin/uname || return
		#!/bin/sh
		[ "\$1" = -r ] && echo $kernel || exec /usr/bin/uname "\$@"
	END
	env -u KVER PATH=/mnt/bin:"$PATH" "$@"
}

# by_hand - without a package: what make install puts there, without the fabric of tests, make
# uninstall takes away
by_hand()
{
	local updates=/lib/modules/$kernel/updates

	runs_here make -C /mnt/1.0/ipoib install && find "$updates" -type f &&
		[[ $(modinfo -k "$kernel" -F filename ipoib) == "$updates"/*/ipoib.ko* ]] &&
		[[ $(find "$updates" -name '*.ko*' | wc -l) -eq 1 ]] &&
		modprobe -S "$kernel" --show-depends ib_ipoib | tail -n 1 | grep "insmod $updates/" ||
		return
	runs_here make -C /mnt/1.0/ipoib uninstall && ! modinfo -k "$kernel" ipoib &&
		[ ! -e /etc/modprobe.d/ipoib.conf ]
}

# furnished - the machine: it has an HCA, and an initramfs with what is to be loaded for one; and
# dpkg and initramfs-tools need not read there what the packages have nothing to do with
furnished()
{
	local hca=drivers/infiniband/sw/ibdevsim/ibdevsim.ko tools=/etc/initramfs-tools

	make -s -C "/lib/modules/$kernel/build" M=/mnt/1.0/ipoib CONFIG_DEBUG_INFO_BTF_MODULES= $hca &&
		install -D -t "/lib/modules/$kernel/extra" /mnt/1.0/ipoib/$hca &&
		depmod "$kernel" &&
		echo ibdevsim > /etc/modules-load.d/hca.conf &&
		# rdma-core knows InfiniBand's by the names of their drivers.
		echo 'SUBSYSTEM=="infiniband", ENV{ID_RDMA_INFINIBAND}="1"' \
			> /etc/udev/rules.d/76-hca.rules &&
		install -D -t /usr/share/ipoib-dkms /mnt/ipoib-*.dkms.tar.gz || return

	rm $tools/update-initramfs.conf && echo ib_ipoib > $tools/modules &&
		printf '%s\n' MODULES=list COMPRESS=gzip COMPRESSLEVEL=1 > $tools/conf.d/ipoib &&
		find /usr/share/initramfs-tools/hooks $tools/hooks -type f ! -name kmod -delete ||
		return

	# dpkg runs no trigger of a package that lacks something.
	awk 'BEGIN { RS = ""; ORS = "\n\n" }
		/\nPriority: (required|important)/ || /^Package: initramfs-tools/' /var/lib/dpkg/status |
		grep -vE '^(Pre-)?Depends: ' > /mnt/status && cp /mnt/status /var/lib/dpkg/status
}

# machine BOOT - what that has to say; or it has ended before it could
machine()
{
	"$top/scripts/vm" --kernel "$kernel" --cpus 1 --timeout 900 --disk /mnt/disk --systemd \
		--log /mnt/dmesg "$top/scripts/package-guest" "$1" && return
	echo "FAIL boot $1 of the machine"
	tail -n 30 /mnt/dmesg | sed 's/^/     /'
}

# life - one line for each result
life()
{
	local boot

	check "the packages are built" built 1.0
	check "lintian has nothing against them" linted 1.0
	check "the driver is compiled, for $kernel" compiled 1.0
	check "a newer one is built" built 1.1
	check "a kernel that comes later has it, too" comes_later 1.1
	check "removed: nothing is left" removed
	check "make install, and make uninstall" by_hand
	check "there is a machine with an HCA" furnished
	for boot in 1 2 3; do
		machine $boot
	done
}

settle "$1"
log=/mnt/log
bare "$kernel" || die "the kernel cannot be prepared"
counted life
