# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the tests of packages and package-guest share; to be sourced. Debian's packages of VERSION
# are below /mnt/VERSION, and $kernel is the kernel that they are to serve.

log=${TMPDIR:-/tmp}/log failed=0

# logged COMMAND... - that it still runs goes past the log
logged()
{
	"$@" > "$log" 2>&1
}

# check WHAT COMMAND... - a result, and what was said if it is not good
check()
{
	local began=$SECONDS

	if still "at it: $1" logged "${@:2}"; then
		echo "ok   $1 ($((SECONDS - began)) s)"
	else
		echo "FAIL $1 ($((SECONDS - began)) s)"
		tail -n 100 "$log" | sed 's/^/     /'
		failed=$((failed + 1))
	fi
}

# installed VERSION - over what is there; what they depend on is there, but dpkg knows of it not
installed()
{
	dpkg --force-depends --install "/mnt/$1"/ipoib-{dkms,tools}_*.deb && is_there "$1"
}

# is_there VERSION - the driver, for the kernel
is_there()
{
	local said

	said=$(modinfo -k "$kernel" -F version ipoib; modinfo -k "$kernel" -F filename ipoib;
		dkms status ipoib)
	echo "$said"
	[[ $said == "$1"$'\n'*/updates/dkms/ipoib.ko*$'\n'"ipoib/$1, $kernel, "*": installed" ]] &&
		[ "$(wc -l <<< "$said")" -eq 3 ]
}

# removed - both packages, and all that they have made
removed()
{
	dpkg --remove ipoib-dkms ipoib-tools && ! modinfo -k "$kernel" ipoib &&
		[ -z "$(left_over)" ] && ! dpkg --status ipoib-dkms
}

# left_over - of what the packages had
left_over()
{
	ls -d /usr/src/ipoib-* /var/lib/dkms/ipoib "/lib/modules/$kernel"/updates/dkms/ipoib.ko* \
		/usr/lib/modprobe.d/ipoib.conf /usr/bin/ipoib 2> /dev/null
}
