#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# A port gets another LID: it and its peers notice, and find the new way.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

lid_is()
{
	[ "$(status "$rdma2" lid)" -eq "$1" ]
}

plan 5
ib_hosts 3
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h2" 10.0.0.3
# While a peer is looked for not many packets may wait for it.
setup ping_all "$h1" 10.0.0.3
setup steady "$h1" 10.0.0.3
setup ib_knob "$rdma2/lid" 77
check "the port's own" eventually lid_is 77
# It looks at ports that are up for no other reason.
setup reload_sm sm1
check "the peer's: by who sends to it" eventually ping_all "$h1" 10.0.0.2 -w 2
check "and by who is sent to" eventually ping_all "$h2" 10.0.0.3 -w 2
check "unknown to a new peer before" eventually ping_all "$h3" fd00::2 -w 2
check "others did not notice" none_lost
