#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Who sends to a group that nobody listens to does not create it. The packets
# are dropped, and counted, but not as a loss of the link: there is nobody to miss them.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mgid=ff12:401b:ffff::f01:203

absent()
{
	grep "^$mgid .*sendonly,absent .* failures=[1-9][0-9]* error=-2" "$debug/$rdma1.1.ffff/groups"
}

tx_dropped()
{
	in_sysfs "$h1" cat /sys/class/net/ib0/statistics/tx_dropped
}

plan 5
ib_hosts 2
setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
before=$(counter "$h1" drop_tx_no_member) dropped=$(tx_dropped)
send_udp "$h1" 239.1.2.3 5000 20
check "debugfs says that it is absent" eventually absent
check "the packets are counted" \
	eventually grew "$h1" drop_tx_no_member $((before + 19))
check "which ip -s does not show" [ "$(tx_dropped)" = "$dropped" ]
check "the subnet manager has other groups" eventually sa_has ff12:401b:ffff::1
check "but not this one" sa_lacks $mgid
