#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# install.sh install|uninstall VERSION - the module into that kernel's updates/, and
# modprobe's configuration, so that whatever asks for ib_ipoib gets ipoib.
# DESTDIR: below that directory.
set -u
. "$(dirname "$0")/common.sh"

version=$2
[ -n "$version" ] || die "no kernel headers; say KVER=VERSION"
modules=${DESTDIR-}/lib/modules
file=$modules/$version/updates/ipoib.ko
conf=${DESTDIR-}/etc/modprobe.d/ipoib.conf

sudo=
[ "$(id -u)" -eq 0 ] || [ -n "${DESTDIR-}" ] || sudo=sudo
[ -z "$sudo" ] || command -v sudo > /dev/null || die "not root, and there is no sudo"

case $1 in
install)
	echo "$file"
	$sudo install -D -m 644 "$module" "$file" || exit 1
	echo "$conf"
	$sudo install -d "${conf%/*}" || exit 1
	# An alias in the configuration goes before a module of that name and
	# before the aliases that modules bring along.
	$sudo tee "$conf" > /dev/null << 'END' || exit 1
# Written by ipoib's make install; make uninstall removes it.
alias ib_ipoib ipoib
alias rtnl-link-ipoib ipoib
blacklist ib_ipoib
END
	[ -n "${DESTDIR-}" ] || [ ! -d /sys/module/ib_ipoib ] ||
		echo "ib_ipoib is loaded; ipoib can be once that is removed: modprobe -r ib_ipoib"
	;;
uninstall)
	$sudo rm -f "$file"
	$sudo rmdir --ignore-fail-on-non-empty "${file%/*}" 2> /dev/null
	# Other kernels may still have it.
	compgen -G "$modules/*/updates/ipoib.ko" > /dev/null || $sudo rm -f "$conf"
	;;
*)
	die "install or uninstall?"
	;;
esac
$sudo /sbin/depmod -b "${DESTDIR:-/}" "$version"
