#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netplan, for NetworkManager: ports' interfaces, found by name and by address, with addresses, an
# MTU and connected mode.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

needs netplan NetworkManager nmcli dbus-daemon
plan 7
ib_fabric 2
port 1 2
machine 1 2
netplan 1 <<- END
	network:
	  version: 2
	  renderer: NetworkManager
	  ethernets:
	    ib0:
	      addresses: [10.0.0.1/24, "fd00::1/64"]
	      mtu: 65520
	      infiniband-mode: connected
END
netplan 2 <<- END
	network:
	  version: 2
	  renderer: NetworkManager
	  ethernets:
	    storage:
	      match:
	        macaddress: "$(lladdr "$h2")"
	      addresses: [10.0.0.2/24, "fd00::2/64"]
	      infiniband-mode: connected
END
network_manager 1
network_manager 2
check "by name: it is activated" eventually activated 1 netplan-ib0
check "it is in connected mode" link_is 1 ib0 "mode connected"
check "it has the MTU" link_is 1 ib0 "mtu 65520 "
check "by address: it is activated" eventually activated 2 netplan-storage
check "it is in connected mode, too" link_is 2 ib0 "mode connected"
check "IPv4, 60000 octets" reaches 1 10.0.0.2 -s 60000 -i 1 -c 1
check "IPv6" reaches 1 fd00::2
