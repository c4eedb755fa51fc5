#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# install.sh install|uninstall VERSION KDIR - the driver that was built last into that
# kernel's updates/, signed where the kernel can, and modprobe's configuration, so that
# whatever asks for ib_ipoib gets ipoib. DESTDIR: below that directory.
set -u
. "$(dirname "$0")/common.sh"

version=$2
[ -n "$version" ] || die "no kernel headers; say KVER=VERSION"
# make runs elsewhere.
[ -z "${DESTDIR-}" ] || DESTDIR=$(realpath -m "$DESTDIR") || exit 1
modules=${DESTDIR-}/lib/modules
file=$modules/$version/updates/${module#"$top/"}
conf=${DESTDIR-}/etc/modprobe.d/ipoib.conf

sudo=
[ "$(id -u)" -eq 0 ] || [ -n "${DESTDIR-}" ] || sudo=sudo
[ -z "$sudo" ] || command -v sudo > /dev/null || die "not root, and there is no sudo"

case $1 in
install)
	echo "$file"
	$sudo make -s -C "$3" M="$top" INSTALL_MOD_PATH="${DESTDIR-}" INSTALL_MOD_DIR=updates \
		modules_install > /dev/null || exit 1
	echo "$conf"
	$sudo install -D -m 644 "$top/scripts/modprobe.conf" "$conf" || exit 1
	[ -n "${DESTDIR-}" ] || [ ! -d /sys/module/ib_ipoib ] ||
		echo "ib_ipoib is loaded; ipoib can be once that is removed: rmmod ib_ipoib"
	;;
uninstall)
	# It may be compressed.
	$sudo rm -f "$file"* "$modules/$version/updates/ipoib.ko"*
	(cd "$modules/$version/updates" 2> /dev/null && $sudo find . -type d -empty -delete)
	# Other kernels may still have it.
	compgen -G "$modules/*/updates/${module#"$top/"}*" > /dev/null || $sudo rm -f "$conf"
	;;
*)
	die "install or uninstall?"
	;;
esac
$sudo /sbin/depmod -b "${DESTDIR:-/}" "$version"
