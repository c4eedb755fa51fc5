#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The files that ib_ipoib has, for those who know them: pkey, mode, umcast. Who may not
# administer the network cannot write them, not even as root.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# holds FILE TEXT
holds()
{
	grep -x "$2" "/sys/class/net/$ib/$1"
}

# takes FILE TEXT
takes()
{
	echo "$2" > "/sys/class/net/$ib/$1"
}

# refused ERROR FILE TEXT [COMMAND...]: to a shell that the command starts
refused()
{
	local said

	# shellcheck disable=SC2016 # it is the shell that expands them
	said=$("${@:4}" bash -c 'echo "$1" > "$0"' "/sys/class/net/$ib/$2" "$3" 2>&1) &&
		return 1
	echo "$said"
	[[ $said == *"$1" ]]
}

# writes FILE TEXT COMMAND...: likewise, and it works
writes()
{
	# shellcheck disable=SC2016 # it is the shell that expands them
	"${@:3}" bash -c 'echo "$1" > "$0"' "/sys/class/net/$ib/$1" "$2"
}

# refused_all COMMAND...: whatever can be written
refused_all()
{
	refused "Operation not permitted" mode connected "$@" &&
		refused "Operation not permitted" umcast 1 "$@" || return
	[ ! -e "/sys/class/net/$ib/create_child" ] || {
		refused "Operation not permitted" create_child 0x8001 "$@" &&
			refused "Operation not permitted" delete_child 0x8001 "$@"
	}
}

# there NAME...: of the files of parents and of children these
there()
{
	(cd "/sys/class/net/$ib" && ls create_child delete_child parent 2> /dev/null) |
		diff - <(printf '%s\n' "$@" | grep .)
}

shows()
{
	ip -d link show "$ib" | tr -s ' ' | grep "$1"
}

plan 20
one_interface

if on_ib; then
	check "a parent has the files of one" there create_child delete_child
else
	check "it is no parent and no child, and has no file of one" there ''
fi
check "pkey" holds pkey 0xffff
check "pkey cannot be changed" not takes pkey 0x8001
check "mode is datagram" holds mode datagram
check "mode takes datagram" takes mode datagram
check "mode takes connected" takes mode connected
check "and is that" holds mode connected
check "mode takes datagram again" takes mode datagram
check "mode refuses nonsense" refused "Invalid argument" mode telepathic
check "and is still datagram" holds mode datagram
check "umcast is off" holds umcast 0
check "umcast takes 1" takes umcast 1
check "and shows it" holds umcast 1
check "so does ip link" shows 'umcast 0*1'
check "umcast refuses nonsense" refused "Invalid argument" umcast maybe
check "umcast takes 0 again" eval 'takes umcast 0 && holds umcast 0'

# Root has all capabilities in a user namespace of its own, and the interface is not there.
check "not for root without CAP_NET_ADMIN" refused_all setpriv --bounding-set -net_admin
check "nor for that of another user namespace" refused_all unshare --user --map-root-user
check "that changed nothing" eval 'holds mode datagram && holds umcast 0'
check "with it, for root" \
	writes umcast 1 setpriv --bounding-set -all,+net_admin
