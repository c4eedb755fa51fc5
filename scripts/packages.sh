#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# packages.sh PURPOSE... - sees to it that the Debian packages for these purposes are
# installed: says which are missing and installs them.
set -u
. "$(dirname "$0")/common.sh"

# What a purpose takes beyond a minimal Debian 12 with make and git.
packages()
{
	case $1 in
	bench)	echo ethtool gcc libc6-dev python3 ;;
	build)	echo gcc libc6-dev linux-headers-amd64 ;;
	cross)	echo bc bison debian-archive-keyring flex gcc gcc-aarch64-linux-gnu kmod \
			libc6-dev libelf-dev patch xz-utils ;;
	cross-run) echo cpio gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm ;;
	vm)	echo qemu-system-x86 busybox-static binutils cpio e2fsprogs iproute2 kmod \
			procps xz-utils ;;
	test)	echo ethtool gcc iperf3 iputils-ping libc6-dev libibverbs-dev \
			rdma-core socat tcpdump tshark ;;
	fabric)	echo infiniband-diags opensm tcpdump tshark ;;
	um)	echo bc binutils bison busybox-static debian-archive-keyring flex gcc iproute2 \
			kmod libc6-dev libelf-dev patch procps xz-utils ;;
	debug)	echo bc bison flex gcc kmod libc6-dev libelf-dev linux-source-6.1 patch xz-utils ;;
	lint)	echo codespell linux-source-6.1 perl shellcheck sparse xz-utils ;;
	mutation) echo cpio gcc libc6-dev make procps python3 ;;
	fuzz)	echo clang libclang-rt-14-dev libc6-dev llvm python3 ;;
	user)	echo git passwd procps sudo util-linux ;;
	*)	die "unknown purpose: $1" ;;
	esac
}

installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

missing=()
for purpose; do
	for p in $(packages "$purpose"); do
		installed "$p" || missing+=("$p")
	done
	# A machine may have a kernel, and headers, and not of the same version.
	if [ "$purpose" = vm ] && [ -z "${KVER-}" ] &&
	   ! newest_kernel '' has_headers > /dev/null; then
		missing+=(linux-image-amd64 linux-headers-amd64)
	fi
done
[ ${#missing[@]} -gt 0 ] || exit 0
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
by_hand="as root: apt-get update && apt-get install ${missing[*]}"
echo "Installing Debian packages (can take some minutes): ${missing[*]}" >&2
command -v apt-get > /dev/null || die "these packages are missing, and there is no apt-get"
[ -z "$sudo" ] || command -v sudo > /dev/null ||
	die "not root, and there is no sudo; $by_hand"
# Not sudo -v: that wants a password of whoever needs none for commands.
[ -z "$sudo" ] || sudo true ||
	die "sudo does not let $(id -un) install packages; $by_hand"

# What root makes here is for all to read, whatever the user's own files are.
umask 022
log=$(mktemp) || exit 1
# shellcheck disable=SC2317	# called by trap
cleanup()
{
	trap '' INT TERM HUP
	rm -f "$log"
	[ -z "$preset" ] || release_opensm
}
preset='' policy=''
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Debian starts OpenSM as it is installed and at each boot, on all InfiniBand ports
# there are. Those of this machine have a subnet manager, or are not ours to manage.
#
# hold_opensm - has the service be disabled from the beginning, by a preset that is
# there for as long as dpkg runs; without systemd, by Debian's policy for init scripts.
# A policy that is there already is the administrator's.
hold_opensm()
{
	echo "OpenSM's service is left disabled, for it would manage this machine's fabric." \
		"(To have it run: systemctl enable --now opensm)" >&2
	preset=/run/systemd/system-preset/00-ipoib-$$.preset
	$sudo mkdir -p "${preset%/*}" &&
	echo 'disable opensm.service' | $sudo tee "$preset" > /dev/null || return
	[ ! -d /run/systemd/system ] && [ ! -e /usr/sbin/policy-rc.d ] || return 0
	policy=/usr/sbin/policy-rc.d
	$sudo tee $policy > /dev/null << 'END' && $sudo chmod 755 $policy
#!/bin/sh
# From ipoib, for as long as it installs OpenSM; may be removed
case $1 in
opensm*) exit 101 ;;
esac
END
}

release_opensm()
{
	$sudo rm -f "$preset" $policy
	$sudo rmdir --ignore-fail-on-non-empty "${preset%/*}" 2> /dev/null
	# The init script has links of its own.
	[ -z "$policy" ] || $sudo update-rc.d opensm disable > /dev/null 2>&1
}

# apt WORD... - in the words that say_progress knows
apt()
{
	$sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
		apt-get -qy -o DPkg::Lock::Timeout=300 --no-install-recommends "$@" < /dev/null
}

# say_progress - of apt, from what it says itself
say_progress()
{
	awk '
		/ newly installed, / { all = $1 + $3 }
		/^(Need to get|After this operation)/ { print "  " $0 }
		/^Unpacking / && ++unpacked % 40 == 0 { print "  " unpacked " of " all " unpacked" }
		/^Setting up / && ++set_up % 40 == 0 { print "  " set_up " of " all " set up" }
		{ fflush() }' >&2
}

install()
{
	apt install "${missing[@]}" 2>&1 | tee "$log" | say_progress
	return "${PIPESTATUS[0]}"
}

if [[ " ${missing[*]} " == *' opensm '* ]]; then
	hold_opensm || die "cannot keep OpenSM from starting; $by_hand"
fi
# Package lists may be absent or old; they are fetched only when that shows.
if ! still "installing packages" install && ! { apt update > "$log" 2>&1 && still "installing packages" install; }; then
	cat "$log" >&2
	die "apt-get failed; $by_hand"
fi
