#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd takes a lease from dnsmasq, by a client identifier that comes from the machine,
# and has the same address when it comes again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs /usr/lib/systemd/systemd-networkd dnsmasq
plan 6
ib_fabric 2
port 1
setup host 2
machine 1 2
dhcp_server 2
config 1 /etc/systemd/network/ib0.network <<- END
	[Match]
	Name=ib0

	[Network]
	DHCP=ipv4
END
networkd 1
first=$job
check "it is configured" eventually configured 1 ib0
check "with an address of the server's" has_address 1 10.0.0.5
address=$(ip -n "$h1" -4 -o addr show dev ib0 | awk '{ print $4 }')
check "who has a DUID" leased 2 " ff:"
check "the server is reached" reaches 1 10.0.0.2
setup end_job "$first"
setup ip -n "$h1" addr flush dev ib0
setup ip -n "$h1" link set ib0 down
networkd 1
check "once more" eventually configured 1 ib0
check "it has the same address" eventually has_address 1 "$address"
