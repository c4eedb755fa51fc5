#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netplan, for systemd-networkd: ports' interfaces, found by name and by address, with addresses
# and an MTU. The mode is written to the file, where this networkd does not look for it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs netplan /usr/lib/systemd/systemd-networkd
plan 7
ib_fabric 2
port 1 2
machine 1 2
netplan 1 <<- END
	network:
	  version: 2
	  renderer: networkd
	  ethernets:
	    ib0:
	      addresses: [10.0.0.1/24, "fd00::1/64"]
	      mtu: 2044
	      infiniband-mode: connected
END
netplan 2 <<- END
	network:
	  version: 2
	  renderer: networkd
	  ethernets:
	    storage:
	      match:
	        macaddress: "$(lladdr "$h2")"
	      addresses: [10.0.0.2/24, "fd00::2/64"]
END
networkd 1
networkd 2
check "by name: it is configured" eventually configured 1 ib0
check "it has the MTU" link_is 1 ib0 "mtu 2044 "
check "netplan passes the mode on" \
	on 1 grep -x Mode=connected /run/systemd/network/10-netplan-ib0.network
check "which is not set" link_is 1 ib0 "mode datagram"
check "by address: it is configured" eventually configured 2 ib0
check "IPv4" reaches 1 10.0.0.2
check "IPv6" reaches 1 fd00::2
