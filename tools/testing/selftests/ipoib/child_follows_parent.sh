#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Children go up and down with their parent, as those of ib_ipoib do, unless ethtool says that
# they shall not.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all WORD: each child is UP, or DOWN
all()
{
	local link

	for link in "$h1:red" "$h3:blue"; do
		link=$(ip -n "${link%:*}" link show "${link#*:}")
		echo "$link"
		case $1 in
		UP) [[ $link == *[,\<]UP[,\>]* ]] || return ;;
		DOWN) [[ $link != *[,\<]UP[,\>]* ]] || return ;;
		esac
	done
}

plan 7
ib_hosts 1
setup netns "$h3"
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link add link ib0 name red type ipoib pkey 0x8001
setup ip -n "$h1" link add link ib0 name blue netns "$h3" type ipoib pkey 0x8002
check "they are made down" all DOWN
setup ip -n "$h1" link set ib0 up
check "the parent goes up: they do, too" all UP
setup ip -n "$h1" link set ib0 down
check "and down" all DOWN
setup ip -n "$h1" link set red up
setup ip -n "$h3" link set blue up
check "they may be up without it" all UP
setup in_ns "$h1" ethtool --set-priv-flags ib0 children-follow off
setup ip -n "$h1" link set ib0 up
setup ip -n "$h1" link set ib0 down
check "they do not follow if they shall not: down" all UP
setup ip -n "$h1" link set red down
setup ip -n "$h3" link set blue down
setup ip -n "$h1" link set ib0 up
check "nor up" all DOWN
setup ip -n "$h1" link set ib0 down
setup in_ns "$h1" ethtool --set-priv-flags ib0 children-follow on
setup ip -n "$h1" link set ib0 up
check "they follow again" all UP
