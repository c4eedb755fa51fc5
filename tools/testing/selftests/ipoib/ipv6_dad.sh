#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Duplicate address detection finds the other host's address, and never takes
# the echo of its own question for one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# flagged FLAG ADDRESS: the address of host 2 has the flag
flagged()
{
	ip -n "$h2" -6 -o addr show dev ib0 to "$2" "$1" | grep ib0
}

plan 3
two_hosts
setup in_ns "$h2" sh -c 'echo 1 > /proc/sys/net/ipv6/conf/ib0/accept_dad'
setup ip -n "$h2" addr add fd00::22/64 dev ib0
check "an address of its own passes" \
	eventually flagged -tentative fd00::22
check "and is not taken for a duplicate" not flagged dadfailed fd00::22
# A subnet manager opens the way to a group some time after host 2 has joined it, and the
# question is asked only once: have it opened before.
! on_ib || setup ping_all "$h2" fd00::1
! on_ib || setup eventually forwards ff12:601b:ffff::1:ff00:1 "$rdma1"
setup ip -n "$h2" addr add fd00::1/64 dev ib0
check "the address of host 1 is refused" eventually flagged dadfailed fd00::1
