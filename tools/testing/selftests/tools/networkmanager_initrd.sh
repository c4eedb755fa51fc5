#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NetworkManager in an initramfs of dracut's, for a root that is reached by IP over InfiniBand: from
# the kernel's command line it makes connections of a port and of a child, brings them up, and
# quits. And klibc's ipconfig, which initramfs-tools has for that, does it not.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

generator=/usr/lib/NetworkManager/nm-initrd-generator
needs NetworkManager $generator /usr/lib/klibc/bin/ipconfig
plan 6
partitions+=$red
ib_fabric 2
port 1
setup host 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
machine 1
check "ipconfig takes no such interface" not on 1 timeout "$minute" /usr/lib/klibc/bin/ipconfig \
	-t 2 -c none ip=10.0.0.1::10.0.0.2:255.255.255.0:one:ib0:none
check "connections are made" on 1 $generator -- ib.pkey=ib0.8001 rd.neednet=1 \
	ip=10.0.0.1::10.0.0.2:255.255.255.0:one:ib0:none ip=10.1.0.1:::255.255.255.0::ib0.8001:none
check "NetworkManager brings them up and quits" on 1 env initrd=1 timeout "$minute" \
	NetworkManager --configure-and-quit=initrd --no-daemon
check "the port reaches others" reaches 1 10.0.0.2
check "the child is there" link_is 1 ib0.8001 "pkey 0x8001 mode datagram"
check "and reaches its partition" reaches 1 10.1.0.2
