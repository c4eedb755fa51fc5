#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A datagram with a wrong Q_Key does not arrive. It is counted, and the subnet
# manager is told until it has heard.
. "$(dirname "$0")/lib.sh"

# To the GSI, whose Q_Key everybody knows
send_with()
{
	echo "ibdevsim0 $(lid_of ibdevsim1) - 1 $1 5 64" > "${loop%/*}/inject"
}

violations()
{
	smpquery portinfo "$(lid_of ibdevsim1)" 1 | sed -n 's/^QkeyViolations:\.*//p'
}

violations_are()
{
	violations
	[ "$(violations)" -eq "$1" ]
}

told()
{
	grep 'num:258' "$tmp/sm1/log"
}

# A trap is repeated each second until it is repressed, and each of the five may have
# been told.
told_no_more()
{
	local before

	before=$(told | wc -l)
	sleep 3
	told
	[ "$(told | wc -l)" -eq "$before" ] && [ "$before" -le 5 ]
}

plan 9
fabric 2
setup load ibdevsim_loop
check "the right Q_Key" send_with 0x80010000
check "is no violation" violations_are 0
check "a wrong one is sent" send_with 1
check "each is counted" eventually violations_are 5
check "the subnet manager is told" eventually told
check "until it represses the trap" eventually told_no_more
check "and no other was counted" violations_are 5
setup knob ibdevsim1/pkeys '0 0'
check "without a P_Key nobody answers" \
	not diag saquery -t 200 -C ibdevsim1 NR
setup knob ibdevsim1/pkeys '0 0xffff'
check "with one again somebody does" eventually saquery -C ibdevsim1 NR
