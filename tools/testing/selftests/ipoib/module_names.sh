#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# With what make install tells modprobe, whoever asks for ib_ipoib gets ipoib, by that name
# or by an alias that somebody has given it; and by the same names it goes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# loads NAME: ours, and not theirs
loads()
{
	modprobe "$1" && [ -d /sys/module/ipoib ] && [ ! -d /sys/module/ib_ipoib ]
}

unloads()
{
	modprobe -r "$1" && [ ! -d /sys/module/ipoib ]
}

# tree: nothing but both drivers, what make install writes, and somebody's own alias
tree()
{
	local release modules

	read -r release < /proc/sys/kernel/osrelease
	modules=$tmp/lib/modules/$release
	mkdir -p "$modules" "$tmp/conf" &&
		cp "${IPOIB_KO:-$(modinfo -n ipoib)}" "$(modinfo -n ib_ipoib)" "$modules" &&
		cp "$here/../../../../scripts/modprobe.conf" "$tmp/conf/ipoib.conf" &&
		echo 'alias netdev-ib* ib_ipoib' > "$tmp/conf/somebody.conf" &&
		depmod -b "$tmp" "$release"
}

plan 6
setup tree
setup rmmod ipoib
export MODPROBE_OPTIONS="-d $tmp -C $tmp/conf"
for name in ib_ipoib rtnl-link-ipoib netdev-ib0; do
	check "$name" loads $name
	check "$name goes" unloads $name
done
