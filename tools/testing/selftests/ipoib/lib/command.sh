# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The command ipoib, as anybody may run it.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

# for_nobody: who may not look into the directory that has it
for_nobody()
{
	cp "${OUTPUT:-$here}/ipoib" "$tmp/ipoib" && chmod 755 "$tmp" "$tmp/ipoib"
}

# asked ARGUMENT...: by nobody, on host 1
asked()
{
	as_nobody "$h1" "$tmp/ipoib" "$@" 2>&1
}

# tells PATTERN ARGUMENT...
tells()
{
	asked "${@:2}" | tee /dev/stderr | grep -Eq "$1"
}

# why STATUS PATTERN: ends with that status
why()
{
	local said

	said=$(asked why ib0)
	[ $? -eq "$1" ] && echo "$said" | tee /dev/stderr | grep -Eq "$2"
}
