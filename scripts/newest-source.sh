#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# newest-source.sh [FILE...] - prints a directory with the newest kernel source that Debian has for
# stable's successor, unpacked, these files among it. Where the machine has its packages from, this
# comes from, too; nothing is installed. Another one is looked for once a week. Each of um-patches is
# applied if it fits: where it does not, the fault may have been mended.
set -u
. "$(dirname "$0")/common.sh"

need_cache
suite=trixie-backports
exec 8> "$cache/newest-source.lock" && flock 8 || exit 1
changes=("$top"/scripts/um-patches/*.patch)
suffix=$(cat "${changes[@]}" | md5sum | cut -c1-8)
find_unpacked()
{
	find "$cache" -maxdepth 1 -name "linux-source-[0-9]*-$suffix" "$@" | sort -V | tail -n 1
}
# has DIR FILE... - an older unpack_source() may have left some of them out
has()
{
	local file

	for file in "${@:2}"; do
		[ -e "$1/$file" ] || return
	done
}
dir=$(find_unpacked -mtime -7)
[ -z "$dir" ] || ! has "$dir" "$@" || { echo "$dir"; exit; }

tmp=$(mktemp -d "$cache/newest-source.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# The mirror is the one that the machine's own Debian comes from.
# shellcheck disable=SC2016	# apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CODENAME)' \
	'Identifier: Packages' | awk '$2 == "main" && $3 ~ /^[a-z]+$/ { print $1; exit }')
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$tmp"/{lists/partial,archives/partial}
: > "$tmp/status"
echo "deb [signed-by=$keys] $mirror $suite main" > "$tmp/sources"
private=(-o "Dir::Etc::sourcelist=$tmp/sources" -o Dir::Etc::sourceparts=/dev/null
	-o Dir::Etc::preferencesparts=/dev/null -o "Dir::State=$tmp" -o "Dir::State::Lists=$tmp/lists"
	-o "Dir::State::status=$tmp/status" -o "Dir::Cache=$tmp" -o "Dir::Log=$tmp"
	-o Debug::NoLocking=1 -o "APT::Sandbox::User=$(id -un)")

# fetch FILE...
fetch()
{
	local name change

	[ -n "$mirror" ] || { echo "no Debian mirror in apt's configuration"; return 1; }
	apt-get "${private[@]}" -q update || return
	name=$(apt-cache "${private[@]}" search --names-only '^linux-source-[0-9.]+$' |
		cut -d ' ' -f 1 | sort -V | tail -n 1)
	[ -n "$name" ] || { echo "no kernel source in $suite"; return 1; }
	(cd "$tmp" && apt-get "${private[@]}" -q download "$name") || return
	dpkg -x "$tmp/$name"_*.deb "$tmp/package" || return
	version=$(dpkg-deb -f "$tmp/$name"_*.deb Version)
	mkdir "$tmp/source" &&
	unpack_source "$tmp/package/usr/src/$name.tar.xz" "$tmp/source" || return
	if [[ " $*" == *' arch/arm64/'* ]]; then
		# Another architecture than the machine's own is for make cross alone.
		tar -C "$tmp/source" --strip-components=1 -xJf "$tmp/package/usr/src/$name.tar.xz" \
			--wildcards '*/arch/arm64/*.[chS]' || return
	fi
	for change in "${changes[@]}"; do
		patch -fsp1 -d "$tmp/source" --dry-run < "$change" > /dev/null &&
			patch -fsp1 -d "$tmp/source" < "$change"
	done
	# What was compiled from the same version stays compiled, so only what it lacks is added.
	dir=$cache/linux-source-${version%%-*}-$suffix
	if [ -d "$dir" ]; then
		cp -rn "$tmp/source/." "$dir" || return
	else
		mv -T "$tmp/source" "$dir" || return
	fi
	touch "$dir"
}

echo "Fetching the newest kernel source (170 MB) ..." >&2
if ! fetch "$@" > "$tmp/log" 2>&1; then
	# An older one does as well, for a machine without a network.
	dir=$(find_unpacked)
	if [ -z "$dir" ]; then
		cat "$tmp/log" >&2
		die "cannot fetch a kernel source from $suite"
	fi
	echo "newest-source: cannot fetch; taking ${dir##*/}" >&2
fi
echo "$dir"
