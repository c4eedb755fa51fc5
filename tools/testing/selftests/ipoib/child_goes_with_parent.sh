#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
# HCAs: not irdma, for they have one P_Key
#
# A port that goes takes its interface and all its children with it, under
# traffic, wherever they are.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 5
partitions+=$red
ib_hosts 2
setup netns "$h3"
for n in 1 2; do
	setup child $n 0x8001 red
	setup child_addresses $n red
done
setup eventually is_up "$h1" red
setup eventually is_up "$h2" red
setup child 2 0x8002 blue
setup ip -n "$h2" link set blue netns "$h3"
flood "$h1" 10.1.0.2
eventually grew "$h2" rx0_packets 100 red
check "the port goes" sh -c 'echo 1 > /sys/devices/ibdevsim/del_hca'
check "its interface, too" not ip -n "$h2" link show ib0
check "and a child" not ip -n "$h2" link show red
check "and one in another namespace" not ip -n "$h3" link show blue
check "those of another port stay" ip -n "$h1" link show red
