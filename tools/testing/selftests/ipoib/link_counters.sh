#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ip -s link counts each packet once, on both ends alike, and what was dropped.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

stat()
{
	in_sysfs "$1" cat "/sys/class/net/ib0/statistics/$2"
}

# counts NS NAME N COMMAND...: the command makes the counter grow by N
counts()
{
	local before

	before=$(stat "$1" "$2")
	"${@:4}"
	echo "$2 was $before"
	eventually at_least $((before + $3)) "$1" "$2" &&
		[ "$(stat "$1" "$2")" = $((before + $3)) ]
}

at_least()
{
	[ "$(stat "$2" "$3")" -ge "$1" ]
}

# refused: five, by the HCA of host 2
refused()
{
	local i

	for i in {1..5}; do
		ib_knob "$rdma2/fail_post_send" 1 && send_udp "$h2" 10.0.0.1 9 1 || return
	done
}

runts()
{
	inject -d "$rdma1" -a "$(lladdr "$h2")" -x 0800 -n 10
}

# own_heard: where the device does send them back
own_heard()
{
	case $FABRIC:${IBDEVSIM_PROFILE-} in
	roce:* | ib:mthca | ib:qib | ib:hfi1 | ib:irdma)
		eventually grew "$h1" drop_rx_own $((own + 9)) ;;
	*)
		not grew "$h1" drop_rx_own "$own" ;;
	esac
}

plan "$(on_ib && echo 17 || echo 16)"
two_hosts
setup quiet_hosts 1 2
setup ip -n "$h1" neigh replace 10.0.0.99 nud permanent dev ib0 \
	lladdr 00:00:00:11:20:01:0d:b8:00:00:00:00:00:00:00:00:00:00:de:ad
setup ip -n "$h1" route add 224.0.0.0/4 dev ib0

ping_20=(in_ns "$h1" ping -q -c 20 -i 0.05 -s 100 10.0.0.2)
for ns in "$h1" "$h2"; do
	# 100 octets, 28 of ICMP and IPv4, 4 of the header.
	check "20 packets sent" counts "$ns" tx_packets 20 "${ping_20[@]}"
	check "20 packets received" counts "$ns" rx_packets 20 "${ping_20[@]}"
	check "of 132 octets, sent" counts "$ns" tx_bytes 2640 "${ping_20[@]}"
	check "and received" counts "$ns" rx_bytes 2640 "${ping_20[@]}"
done
own=$(counter "$h1" drop_rx_own) dropped=$(stat "$h1" rx_dropped)
check "10 multicasts received" \
	counts "$h2" multicast 10 send_udp "$h1" 224.0.0.1 9 10
check "and heard by who has sent them, if the device cannot do otherwise" own_heard
check "which is no loss" [ "$(stat "$h1" rx_dropped)" = "$dropped" ]
check "10 dropped on the way out" \
	counts "$h1" tx_dropped 10 send_udp "$h1" 10.0.0.99 9 10
check "10 dropped on the way in" counts "$h2" rx_dropped 10 \
	inject -d "$rdma1" -a "$(lladdr "$h2")" -t 0x1234 -n 10
check "no errors" [ "$(stat "$h1" tx_errors)$(stat "$h2" rx_errors)" = 00 ]
check "10 errors on the way in" counts "$h2" rx_errors 10 runts
check "of the length" counts "$h2" rx_length_errors 10 runts
! on_ib || {
	setup ib_knob victim ipoib
	check "5 errors on the way out" counts "$h2" tx_errors 5 refused
}
