#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# What connected mode can be told: by ip, sysfs and ethtool. The first octet of the
# address says which transports can be taken (RFC 4755, 3.1), whatever it was told.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# same_address: that of the beginning, of RC and UC
same_address()
{
	lladdr "$h1" | tee -a /dev/stderr | grep -qx "$address" && [[ $address == c0:* ]]
}

# takes_none: who asks is told that nobody listens
takes_none()
{
	eventually answers "$h2" 10.0.0.1 -s 60000 && has_no_connection 1
}

shows()
{
	ip -d -n "$h1" link show dev ib0 | grep -w "$@"
}

# sysfs VALUE: as printf(1) has it
sysfs()
{
	# shellcheck disable=SC2016,SC2059 # the shell in the namespace expands it
	in_sysfs "$h1" sh -c 'printf "$0" > /sys/class/net/ib0/mode' "$1"
}

sysfs_says()
{
	in_sysfs "$h1" grep -qx "$1" /sys/class/net/ib0/mode
}

limit_is()
{
	in_ns "$h1" ethtool -l ib0 | grep Other: | tail -n 1 | grep -w "$1"
}

# highest: how many there can be
highest()
{
	in_ns "$h1" ethtool -l ib0 | awk '/^Other:/ { print $2; exit }'
}

# refused REASON OPTION...: ethtool says why
refused()
{
	local said

	said=$(in_ns "$h1" ethtool "${@:2}" 2>&1) && return 1
	echo "$said"
	[[ $said == *"netlink error: $1"* ]]
}

plan 31
two_hosts
address=$(lladdr "$h1")
check "datagram to begin with" sysfs_says datagram
check "connected, by sysfs" sysfs 'connected\n'
check "it says so" sysfs_says connected
check "the address is the same" same_address
check "the largest MTU" shows "mtu 65520"
check "datagram, by sysfs, without a newline" sysfs 'datagram'
check "the link's MTU" shows "mtu 4092"
check "the address is the same" same_address
check "connected, without a newline" sysfs 'connected'
check "datagram, with one" sysfs 'datagram\n'
check "no other mode" not sysfs 'unconnected'
check "connected, by ip" ip -n "$h1" link set ib0 type ipoib mode connected
check "it says so" shows "mode connected"
check "UC only" offer uc 1
check "the address is the same" same_address
check "RC only" offer rc 1
check "the address is the same" same_address
check "neither" offer "" 1
setup mode connected 2
check "nobody gets a connection" takes_none
check "64 connections" limit_is 64
check "another limit" in_ns "$h1" ethtool -L ib0 other 100
check "it is that" limit_is 100
setup connected rc 1 2
setup eventually by_connection 1 300000 large "$h1" 10.0.0.2
setup steady "$h1" 10.0.0.2
qpn=$(qpn_of 1)
setup in_ns "$h1" ethtool -L ib0 other 50
check "another one closes all connections, those in use, too" \
	eventually not has_connection 1 "$qpn"
check "and there are new ones" eventually has_connections 1 1
check "nothing was lost over it" none_lost
setup in_ns "$h1" ethtool -L ib0 other 100
check "not none at all" refused "Invalid argument" -L ib0 other 0
check "more than there can be" refused \
	"requested channel count exceeds maximum" -L ib0 other $(($(highest) + 1))
check "it is still that" limit_is 100
check "there are never more than 4096" [ "$(highest)" -le 4096 ]
check "as many as there can be" in_ns "$h1" ethtool -L ib0 other "$(highest)"
check "it is that" limit_is "$(highest)"
