#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# HCAs without unreliable connections: the address says so, nobody can have them offered,
# and connections are reliable ones.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

flags_are()
{
	[ "$(lladdr "$h1" | cut -d : -f 1)" = "$1" ]
}

plan 3
ib_hosts 2 profile=irdma
check "reliable ones are offered, and no others" flags_are 80
setup mode connected 1 2
check "which cannot be changed" not in_ns "$h1" ethtool --set-priv-flags ib0 uc on
check "connections are made" by_connection 1 300000 large "$h1" 10.0.0.2
