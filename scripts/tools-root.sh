#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tools-root.sh [package|rpm] - sees to it that the programs that the suite "tools" tests are
# unpacked, or those that make Debian packages, or RPM packages as well, and prints the directory.
# They are not installed: a network manager that is would take over the network of this machine.
set -u
. "$(dirname "$0")/common.sh"

programs=(bpftrace dbus dnsmasq-base ifenslave ifupdown iperf iputils-arping kea-dhcp4-server
	kea-dhcp6-server keepalived klibc-utils nbd-client nbd-server netplan.io network-manager
	nftables python3 python3-jsonschema python3-yaml radvd systemd udev)
[ "${1-}" != package ] || programs=(debhelper dh-dkms dkms lintian rdma-core systemd udev)
[ "${1-}" != rpm ] || programs=(debhelper dh-dkms dkms dracut-core initramfs-tools rpm)

# missing - NAME=VERSION of each package that these, and what they depend on, lack here
missing()
{
	LC_ALL=C apt-get -s -o Debug::NoLocking=1 --no-install-recommends install \
		"${programs[@]}" | sed -nE 's/^Inst ([^ ]+) (\[[^ ]*\] )?\(([^ ]+) .*/\1=\3/p'
	return "${PIPESTATUS[0]}"
}

# unpack DIR PACKAGE... - as if they were installed below DIR
unpack()
{
	local dir=$1 name deb

	mkdir -p "$dir"/debs "$dir"/{etc,var} "$dir"/usr/{bin,sbin,lib,lib64} || return
	# Debian's packages still say /bin and /lib, where a machine has links.
	for name in bin sbin lib lib64; do
		ln -s usr/$name "$dir/$name" || return
	done
	[ $# -gt 1 ] || return 0
	(cd "$dir/debs" && apt-get -q download "${@:2}") >&2 || return
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -C "$dir" -x --keep-directory-symlink --no-same-owner || return
	done
	rm -r "$dir/debs"
}

need_cache
list=$(missing) || die "apt-get does not know all of ${programs[*]};" \
	"as root: apt-get update"
mapfile -t list < <(printf %s "${list:+$list$'\n'}")
dir=$cache/tools-$( (echo "${list[@]}"; declare -f unpack) | md5sum | cut -c1-8)
if [ ! -d "$dir" ]; then
	echo "Fetching Debian packages, to be unpacked and not installed: ${list[*]%%=*}" >&2
	still "fetching packages" unpack "$dir.$$" "${list[@]}" || {
		rm -rf "$dir.$$"
		die "cannot fetch and unpack them"
	}
	# Another one may have been faster.
	mv -T "$dir.$$" "$dir" 2> /dev/null || rm -rf "$dir.$$"
fi
touch "$dir"
find "$cache" -maxdepth 1 -name 'tools-*' -ctime +30 -exec rm -rf {} +
echo "$dir"
