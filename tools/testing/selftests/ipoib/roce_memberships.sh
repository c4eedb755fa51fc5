#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# For each group of which an interface is a member its Ethernet device is one of an IPv6
# group, until the interface leaves, goes down, or goes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mgid=ff12:401b:ffff::f01:203

# memberships: those of the Ethernet device that are of IPoIB
memberships()
{
	ip -6 maddress show dev "$eth1" | grep -o 'ff12:[46]01b:ffff:.*'
}

has()
{
	memberships | grep -wx "$1"
}

none()
{
	! memberships
}

plan 9
setup two_ports
check "none without an interface" none
setup ip link add link "$eth1" name "$ib" type ipoib
defer ip link del "$ib"
check "nor with one that is down" none
setup ip link set "$ib" up
for group in ff12:401b:ffff::ffff:ffff ff12:401b:ffff::1 ff12:601b:ffff::1; do
	check "an interface that is up: $group" eventually has $group
done
setup ip addr add 239.1.2.3/32 dev "$ib" autojoin
check "a group that somebody joins" eventually has $mgid
setup ip addr del 239.1.2.3/32 dev "$ib"
check "and leaves" eventually not has $mgid
setup ip link set "$ib" down
check "the interface goes down" eventually none
setup ip link set "$ib" up
setup eventually has ff12:401b:ffff::ffff:ffff
setup ip link del "$ib"
check "it goes" eventually none
