#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Interfaces come and go while everything about them is being read.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# read_all: debugfs, sysfs, netlink and ethtool, over and over
read_all()
{
	while :; do
		cat /sys/kernel/debug/ipoib/*/* "/sys/class/net/$ib/"{umcast,mode}
		ip -s -d link show "$ib"
		ethtool -S "$ib"
		ethtool "$ib"
	done
}

rounds()
{
	local i

	for ((i = 0; i < 12; i++)); do
		interface_comes up || return
		sleep 0.0$((i % 5))
		interface_goes || return
	done
}

plan 2
spare_port
export -f read_all
export ib
background bash -c read_all
background bash -c read_all
check "a dozen rounds" rounds
check "the readers read on" kill -0 "$job"
