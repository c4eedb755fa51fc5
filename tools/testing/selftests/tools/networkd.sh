#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd: a port's interface, with addresses and an MTU.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs /usr/lib/systemd/systemd-networkd
plan 4
ib_fabric 2
port 1
setup host 2
machine 1
config 1 /etc/systemd/network/ib0.network <<- END
	[Match]
	Name=ib0
	Type=infiniband

	[Link]
	MTUBytes=2044

	[Network]
	Address=10.0.0.1/24
	Address=fd00::1/64
END
networkd 1
check "it is configured" eventually configured 1 ib0
check "it has the MTU" link_is 1 ib0 "mtu 2044 "
check "IPv4" reaches 1 10.0.0.2
check "IPv6" reaches 1 fd00::2
