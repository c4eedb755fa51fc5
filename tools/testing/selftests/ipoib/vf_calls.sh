#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# What ip sets of the virtual functions of an HCA, and shows, is the HCA's.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# shows TEXT: ip does, of the first of them
shows()
{
	ip -s link show dev "$dev" | tee -a /dev/stderr | tr -s '[:space:]' ' ' | grep -E "vf 0 .*$1"
}

# hca_has TEXT
hca_has()
{
	grep -x "$1" "$ibdevsim/$rdma1/vfs"
}

plan 15
ib_fabric 1
dev=$(interface_of "$rdma1")
check "an HCA without any" not ip link set "$dev" vf 0 state enable
setup ib_knob vfs 2
check "the state of one" ip link set "$dev" vf 0 state enable
check "which the HCA has" hca_has '0 node 0x0000000000000000 port 0x0000000000000000 state 1'
check "its GUID as a node" ip link set "$dev" vf 0 node_guid 02:69:62:00:00:aa:00:01
check "its GUID as a port" ip link set "$dev" vf 0 port_guid 02:69:62:00:00:aa:00:02
check "which the HCA has" hca_has '0 node 0x0269620000aa0001 port 0x0269620000aa0002 state 1'
check "not those of another one" \
	hca_has '1 node 0x0000000000000000 port 0x0000000000000000 state 0'
check "ip shows the state" shows "link-state enable"
check "and the GUIDs" shows "NODE_GUID 02:69:62:00:00:aa:00:01, PORT_GUID 02:69:62:00:00:aa:00:02"
check "and what it has received" shows "RX: .* 1000 10 "
check "one that there is not" not ip link set "$dev" vf 2 state enable
setup sh -c "echo 0x8001 > /sys/class/net/$dev/create_child"
check "a child has none" not ip link set "$dev.8001" vf 0 state enable
check "ip shows none of a child" not grep "vf 0" <<< "$(ip link show dev "$dev.8001")"
setup tenant "$h1"
setup ip link set "$dev" netns "$h1"
check "a tenant who was lent the port changes none" \
	not as_tenant "$h1" ip link set "$dev" vf 0 state disable
check "the HCA has what it had" \
	hca_has '0 node 0x0269620000aa0001 port 0x0269620000aa0002 state 1'
