#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-networkd, Kind=ipoib: children with a P_Key with and without bit 15. It makes up a link
# address for each, which is not of the port, and they work all the same; the parent, too.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# has_gid NAME: of the port
has_gid()
{
	[ "$(lladdr "$h1" "$1" | cut -d : -f 5-)" = "$(lladdr "$h1" | cut -d : -f 5-)" ]
}

needs /usr/lib/systemd/systemd-networkd
plan 12
partitions+=$red
ib_fabric 2
port 1
setup host 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
setup mode connected 2
setup ip -n "$h2" link set ib0.8001 type ipoib mode connected
machine 1
config 1 /etc/systemd/network/red.netdev <<- END
	[NetDev]
	Name=red
	Kind=ipoib

	[IPoIB]
	PartitionKey=0x8001
END
config 1 /etc/systemd/network/green.netdev <<- END
	[NetDev]
	Name=green
	Kind=ipoib

	[IPoIB]
	PartitionKey=0x0001
	Mode=connected
	IgnoreUserspaceMulticastGroups=yes
END
config 1 /etc/systemd/network/ib0.network <<- END
	[Match]
	Name=ib0

	[Network]
	Address=10.0.0.1/24
	IPoIB=red
	IPoIB=green
END
config 1 /etc/systemd/network/red.network <<- END
	[Match]
	Name=red

	[Network]
	Address=10.1.0.1/24
END
config 1 /etc/systemd/network/green.network <<- END
	[Match]
	Name=green

	[Network]
	Address=fd01::1/64
END
networkd 1
for name in ib0 red green; do
	check "$name is configured" eventually configured 1 $name
done
for name in red green; do
	check "$name has the P_Key, with bit 15" link_is 1 $name "pkey 0x8001"
	check "and the GID of the port" has_gid $name
done
check "red: datagram mode" link_is 1 red "mode datagram umcast 0* "
check "green: as told" link_is 1 green "mode connected umcast 0*1"
check "the partition is reached by red" reaches 1 10.1.0.2
check "and by green, in 60000 octets" reaches 1 fd01::2 -s 60000 -i 1 -c 1
check "the parent reaches its own" reaches 1 10.0.0.2
