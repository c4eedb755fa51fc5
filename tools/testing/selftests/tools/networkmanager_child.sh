#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager: children with a P_Key with and without bit 15, in either mode, which it makes by
# the files of the parent, and removes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# child_connection ID P_KEY MODE ADDRESS
child_connection()
{
	connection 1 "$1" <<- END
		[connection]
		id=$1
		type=infiniband
		autoconnect=false

		[infiniband]
		parent=ib0
		p-key=$2
		transport-mode=$3

		[ipv4]
		method=manual
		address1=$4

		[ipv6]
		method=disabled
	END
}

needs NetworkManager nmcli dbus-daemon
plan 11
partitions+=$red
ib_fabric 2
port 1
setup host 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
setup ip -n "$h2" link set ib0.8001 type ipoib mode connected
setup ip -n "$h1" link set ib0 up
machine 1
# In decimal, which is all that a keyfile takes: 0x8001 and 0x0001
child_connection red 32769 datagram 10.1.0.1/24
child_connection green 1 connected 10.1.0.3/24
network_manager 1
check "with bit 15 it is activated" on 1 nmcli connection up red
check "it is there" link_is 1 ib0.8001 "pkey 0x8001 mode datagram"
check "and reaches the partition" reaches 1 10.1.0.2
check "it goes" on 1 nmcli connection delete red
check "it is not there" eventually not link_is 1 ib0.8001 .
check "without bit 15 it is activated" on 1 nmcli connection up green
check "it is there, with bit 15, and connected" \
	link_is 1 ib0.0001 "pkey 0x8001 mode connected"
check "and reaches the partition" reaches 1 10.1.0.2
check "60000 octets" reaches 1 10.1.0.2 -s 60000 -i 1 -c 1
check "it goes" on 1 nmcli connection delete green
check "it is not there" eventually not link_is 1 ib0.0001 .
