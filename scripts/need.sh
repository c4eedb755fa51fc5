#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# need.sh PURPOSE... - sees to it that the Debian packages for these purposes are
# installed: says which are missing and installs them.
set -u
. "$(dirname "$0")/common.sh"

# What a purpose takes beyond a minimal Debian 12 with make and git.
packages()
{
	case $1 in
	build)	echo gcc libc6-dev linux-headers-amd64 ;;
	vm)	echo qemu-system-x86 busybox-static binutils cpio iproute2 kmod \
			procps xz-utils ;;
	test)	echo ethtool gcc iperf3 iputils-ping libc6-dev libibverbs-dev \
			rdma-core socat tcpdump tshark ;;
	fabric)	echo infiniband-diags opensm tcpdump tshark ;;
	debug)	echo bc bison flex gcc kmod libc6-dev libelf-dev linux-source-6.1 patch xz-utils ;;
	lint)	echo codespell linux-source-6.1 perl shellcheck sparse xz-utils ;;
	kunit)	echo bc bison flex gcc libc6-dev linux-source-6.1 python3 xz-utils ;;
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

apt()
{
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=300 \
		--no-install-recommends "$@" < /dev/null
}

if [ -n "$sudo" ] && ! sudo -v; then
	die "sudo does not let $(id -un) install packages; $by_hand"
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# Debian starts OpenSM as it is installed and at each boot, on all InfiniBand ports
# there are. Those of this machine have a subnet manager, or are not ours to manage.
mask=/etc/systemd/system/opensm.service
if [[ " ${missing[*]} " == *' opensm '* ]] && [ ! -e $mask ]; then
	echo "Its service opensm is masked, for it would manage this machine's fabric." >&2
	if ! { $sudo mkdir -p ${mask%/*} && $sudo ln -s /dev/null $mask; }; then
		die "cannot keep OpenSM from starting; $by_hand"
	fi
fi
# Package lists may be absent or old; they are fetched only when that shows.
if ! apt install "${missing[@]}" > "$log" 2>&1 &&
   ! { apt update && apt install "${missing[@]}"; } > "$log" 2>&1; then
	cat "$log" >&2
	die "apt-get failed; $by_hand"
fi
