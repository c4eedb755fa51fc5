#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The user may choose a smaller MTU, which stays while the link can do it, and
# comes back when it can again; likewise with the mode. The largest one follows the link.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mtu_is()
{
	ip -n "$h1" link show dev ib0 | grep " mtu $1 "
}

set_mtu()
{
	ip -n "$h1" link set ib0 mtu "$1"
}

is_of_user()
{
	[ "$(status "$rdma1" user_mtu)" -eq "$1" ]
}

# too_large MTU: ip says so
too_large()
{
	[ "$(set_mtu "$1" 2>&1)" = "Error: mtu greater than device maximum." ]
}

plan 12
two_hosts
check "more than any link can do is refused" too_large $(($(largest_mtu "$h1") + 1))
check "less is taken" set_mtu 1500
check "and used" mtu_is 1500
check "and shown as the user's" is_of_user 1500
check "in fragments if need be" ping_all "$h1" 10.0.0.2 -s 4000

setup link_mtu 2048
setup eventually ping_all "$h1" 10.0.0.2 -w 2
check "a smaller link that can do it changes nothing" mtu_is 1500
setup link_mtu 1024
check "one that cannot does" eventually mtu_is 1020
setup link_mtu 4096
check "until it can again" eventually mtu_is 1500

setup eventually set_mtu 4092
setup link_mtu 2048
check "the largest one follows the link" eventually mtu_is 2044
setup link_mtu 4096
check "up again, too" eventually mtu_is 4092

setup mode connected 1
setup set_mtu 9000
setup mode datagram 1
check "one of connected mode is too large for datagrams" mtu_is 4092
setup mode connected 1
check "and comes back with the mode" mtu_is 9000
