#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each soft-RoCE device counts its queue pairs from the same number, so two
# hosts often have the same. They still hear each other's multicast.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

qpn()
{
	lladdr "$1" | cut -d: -f2-4
}

plan 3
two_hosts
must "both hosts have the same QPN" [ "$(qpn "$h1")" = "$(qpn "$h2")" ]
check "host 1 resolves host 2 by broadcast" ping_all "$h1" 10.0.0.2
check "host 2 resolves host 1 by multicast" ping_all "$h2" fd00::1
