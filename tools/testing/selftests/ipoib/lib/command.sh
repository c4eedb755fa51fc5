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
	asked "${@:2}" | tee -a /dev/stderr | grep -Eq "$1"
}

# ends STATUS PATTERN ARGUMENT...: tells that, and ends with that status
ends()
{
	local said

	said=$(asked "${@:3}")
	[ $? -eq "$1" ] && echo "$said" | tee -a /dev/stderr | grep -Eq "$2"
}

# why STATUS PATTERN
why()
{
	ends "$1" "$2" why ib0
}
