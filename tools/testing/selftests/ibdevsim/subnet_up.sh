#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A subnet manager finds all nodes and makes all ports active.
. "$(dirname "$0")/lib.sh"

links_found()
{
	ibnetdiscover > "$tmp/net" && cat "$tmp/net" &&
	[ "$(grep -c '^Ca' "$tmp/net")" -eq "$1" ] && grep -q '^Switch' "$tmp/net"
}

# Nothing but LIDs and states: GUIDs are the fabric's own business.
lids_differ()
{
	[ "$(cat /sys/class/infiniband/*/ports/1/lid | sort -u | wc -l)" -eq "$1" ]
}

plan 5
setup bare_fabric 3
check "ports come up uninitialised" state_is ibdevsim0 INIT
setup start_sm sm1
check "SUBNET UP" eventually subnet_is_up sm1
check "all ports become active" eventually all_active
check "each HCA has a LID of its own" lids_differ 3
check "ibnetdiscover finds switch and HCAs" links_found 3
