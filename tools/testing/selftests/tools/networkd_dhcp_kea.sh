#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd takes a lease from kea by way of a relay, by a client identifier that comes from
# the machine, renews it without the relay, and has the same address when it comes again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs /usr/lib/systemd/systemd-networkd dnsmasq kea-dhcp4
plan 7
ib_fabric 3
port 1
setup host 2 3
machine 1 2 3
dhcp_relay 2 10.0.0.3
relay=$job
kea_server 3
config 1 /etc/systemd/network/ib0.network <<- END
	[Match]
	Name=ib0

	[Network]
	DHCP=ipv4

	[DHCPv4]
	SendRelease=no
END
networkd 1
first=$job
check "it is configured" eventually configured 1 ib0
check "with an address of the server's" has_address 1 10.0.0.5
address=$(ip -n "$h1" -4 -o addr show dev ib0 | awk '{ print $4 }')
address=${address%/*}
check "who has a DUID, and no link address" leased 3 ",,ff:"
setup end_job "$first"
setup ip -n "$h1" addr flush dev ib0
setup ip -n "$h1" link set ib0 down
networkd 1
check "once more" eventually configured 1 ib0
check "it has the same address" eventually has_address 1 "$address/24"
check "the server is reached" reaches 1 10.0.0.3
setup end_job "$relay"
check "the lease is renewed without the relay" eventually \
	renewed 3 "$address" "$(lease_lines 3 "$address")"
