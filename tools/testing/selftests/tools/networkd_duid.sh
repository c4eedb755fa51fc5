#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What systemd-networkd is to a DHCPv6 server: by default what comes from the machine; if told so,
# its link address of type 32, all of it. That has the number of the queue pair in it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# known_by DUID [LINE]: with that line in [DHCPv6] it has a lease by that
known_by()
{
	config 1 /etc/systemd/network/ib0.network <<- END
		[Match]
		Name=ib0

		[Network]
		DHCP=ipv6

		[DHCPv6]
		${2-}
	END
	networkd 1
	eventually leased 2 "$1" && eventually has_address 1 fd00::5 || return
	end_job "$job"
	ip -n "$h1" addr flush dev ib0 && ip -n "$h1" link set ib0 down
}

needs /usr/lib/systemd/systemd-networkd dnsmasq radvd
plan 3
ib_fabric 2
port 1
setup host 2
machine 1 2
router 2
dhcp6_server 2
check "by default" known_by " 00:02:00:00:ab:11:"
check "DUID-LL" known_by " 00:03:00:20:$(lladdr "$h1")" DUIDType=link-layer
check "DUID-LLT" known_by " 00:01:00:20:00:00:00:00:$(lladdr "$h1")" DUIDType=link-layer-time
