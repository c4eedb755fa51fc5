#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Three hosts on a bridge, each reaches each other one; also where the bridge
# forwards a group only to the ports it heard joining.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 7
snooping=1
three_hosts
check "1 to 2" ping_all "$h1" 10.0.0.2
check "2 to 3" ping_all "$h2" 10.0.0.3
check "3 to 1" ping_all "$h3" 10.0.0.1
check "1 to 2, IPv6" ping_all "$h1" fd00::2
check "2 to 3, IPv6" ping_all "$h2" fd00::3
check "3 to 1, IPv6" ping_all "$h3" fd00::1
check "no host talks to a second one through a third" \
	[ "$(counter "$h1" peers)" -ge 2 ]
