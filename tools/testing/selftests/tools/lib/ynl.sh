# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# YNL, the kernel's own program for generic netlink, on host 2: it knows of a family what a
# description says. Ours is Documentation/netlink/specs/ipoib.yaml.
#
# KERNEL_SOURCE  where YNL and the schema lie; by default the kernel that this is a part of
#
# shellcheck disable=SC2154 # lib.sh sets the variables

: "${KERNEL_SOURCE:=$here/../../../..}"

# asks COMMAND... [ARGUMENT...]: by what is to start it there, such as on 2
asks()
{
	"${@:1:2}" /usr/bin/python3 -u "$KERNEL_SOURCE/tools/net/ynl/pyynl/cli.py" --output-json \
		--spec "$here/../../../../Documentation/netlink/specs/ipoib.yaml" \
		--schema "$KERNEL_SOURCE/Documentation/netlink/genetlink.yaml" "${@:3}"
}

# objects: of what YNL prints, each object in a line, with all that it has
objects()
{
	perl -MJSON::PP -ne '$said = decode_json($_);
		for (ref $said eq "ARRAY" ? @$said : $said) {
			%it = %{$$_{msg} || $_};
			print join(" ", map { "$_=$it{$_}" } sort keys %it), "\n";
		}'
}

# told --do|--dump OPERATION: of ib0
told()
{
	asks on 2 "$@" --json "{\"ifindex\": $(on 2 cat /sys/class/net/ib0/ifindex)}" | objects
}

# same FUNCTION ARGUMENT...: it is told what the function says, which is not nothing
same()
{
	"$1" > "$tmp/same" && [ -s "$tmp/same" ] && told "${@:2}" | diff "$tmp/same" -
}

# one_like PATTERN ARGUMENT...: of the objects that it is told
one_like()
{
	told "${@:2}" | tee -a /dev/stderr | grep -qxE "$1"
}

# heard PATTERN: one of the events that there were since it listens, by asks daemon 2
heard()
{
	objects < "$tmp/python32/log" | tee -a /dev/stderr | grep -qxE "$1"
}
