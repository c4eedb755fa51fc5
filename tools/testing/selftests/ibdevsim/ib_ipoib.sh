#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan stock
#
# The kernel's own IPoIB driver works on the fabric, as it does on cards.
. "$(dirname "$0")/lib.sh"

mtu_is()
{
	ip -n "h$1" link show dev "$2" | grep " mtu $3 "
}

# replies N HOSTS ...: replies to pings to a group come from so many hosts
replies()
{
	on "$1" ping -c 3 -i 0.2 -W 5 "${@:3}" | tee -a /dev/stderr |
		grep -o 'bytes from [^ ]*' | sort -u | wc -l | grep -qx "$2"
}

# child N PKEY: an interface in another partition
child()
{
	ip -n "h$1" link add link ib0 name "ib0.${2#0x}" type ipoib pkey "$2" &&
	ip -n "h$1" addr add "10.0.1.$1/24" dev "ib0.${2#0x}" &&
	ip -n "h$1" link set "ib0.${2#0x}" up
}

# mode N MODE
mode()
{
	# shellcheck disable=SC2016 # the shell in the namespace does
	ip netns exec "h$1" sh -c 'echo "$0" > /sys/class/net/ib0/mode' "$2"
}

connected()
{
	mode "$1" connected && ip -n "h$1" link set ib0 mtu 65520
}

has_rc_qps()
{
	rdma resource show qp | tee -a /dev/stderr | grep ibdevsim1 | grep -q 'type RC.*state RTS'
}

no_rc_qps()
{
	not grep 'type RC' <<< "$(rdma resource show qp)"
}

partitions+='
P1=0x8001, ipoib, mtu=5, rate=7 : ALL=full;'
plan 17
hosts 3
check "MTU 4092" mtu_is 1 ib0 4092
for size in 56 2000 4064 4065 9000 60000; do
	check "datagrams, $size octets" reach 1 10.0.0.2 -s $size
done
check "the other way" reach 3 10.0.0.1 -s 9000
check "IPv4 multicast: all three answer" eventually replies 1 3 224.0.0.1 -I ib0
check "IPv6 multicast" eventually replies 2 3 ff02::1%ib0
setup child 1 0x8001
setup child 2 0x8001
check "a child in another partition" eventually has_carrier 1 ib0.8001
check "is reached" reach 1 10.0.1.2 -s 5000
setup connected 1
setup connected 2
check "connected, 56 octets" reach 1 10.0.0.2
check "connected, 60000 octets" reach 1 10.0.0.2 -s 60000
check "connected, the other way" reach 2 10.0.0.1 -s 60000
check "by a reliable connection" has_rc_qps
# Unloaded with connections, this driver may destroy a CQ before the last QP of it, and
# complains.
setup mode 1 datagram
setup mode 2 datagram
check "of which none is left in datagram mode" eventually no_rc_qps
