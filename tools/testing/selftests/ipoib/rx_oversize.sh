#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A packet larger than the receiver's link MTU is dropped and counted.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 4
two_hosts
# Room for the packet on the way, but not on the link.
if on_ib; then
	setup link_mtu 2048
else
	setup ip link set "$eth2" mtu 4100
fi
mtu_is_2044()
{
	ip -n "$h2" link show dev ib0 | grep -q ' mtu 2044 '
}

quiet()
{
	kernel_log > "$tmp/log" && [ "$(grep -c 'ib0\|ipoib' "$tmp/log")" -lt 20 ]
}

# length_errors N: of host 2, and no others
length_errors()
{
	in_sysfs "$h2" sh -c 'cd /sys/class/net/ib0/statistics && cat rx_errors rx_length_errors' |
		tee -a /dev/stderr | diff - <(printf '%s\n' "$1" "$1")
}

setup eventually mtu_is_2044

setup quiet_hosts 1 2
# As many as there are buffers for at first: more could find none where CPUs are fast.
check "3000 octets where 2048 are allowed are dropped" drops_only 2 50 rx_oversize \
	inject -d "$rdma1" -a "$(lladdr "$h2")" -t 0x0800 -l 3000 -n 50
check "which ip -s link calls errors of the length" length_errors 50
setup eventually answers "$h1" 10.0.0.2
check "2044 are not" ping_all "$h1" 10.0.0.2 -s 2016
check "the log has a few lines at most" quiet
