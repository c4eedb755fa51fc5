#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IPv6 privacy: of a prefix whose address comes from the port GUID there is a temporary address,
# too, which says nothing of that, and programs use it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# temporary: prints it, of host 1
temporary()
{
	ip -n "$h1" -6 -o addr show dev ib0 scope global temporary | tee -a /dev/stderr |
		grep -o 'fd02::[^/]*'
}

# hides: it does not end with the GUID
hides()
{
	[ -n "$address" ] && [ "${address#fd02::}" != "${guid#fe80::}" ]
}

# used: from that address host 1 speaks to that subnet
used()
{
	ip -n "$h1" -6 route get fd02::2 | tee -a /dev/stderr | grep " src $address "
}

plan 4
ib_hosts 2
setup in_ns "$h1" sysctl -w net.ipv6.conf.ib0.use_tempaddr=2
guid=$(ip -n "$h1" -6 -o addr show dev ib0 scope link | grep -o 'fe80::[^/]*')
setup ip -n "$h1" addr add "fd02::${guid#fe80::}/64" dev ib0 mngtmpaddr
setup ip -n "$h2" addr add fd02::2/64 dev ib0
check "there is a temporary address" eventually temporary
address=$(temporary 2> /dev/null)
check "without the GUID" hides
check "it is what a program speaks from" used
check "and is answered" eventually ping_all "$h1" fd02::2 -w 2
