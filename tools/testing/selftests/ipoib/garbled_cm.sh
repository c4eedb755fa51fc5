#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A third of the messages by which connections are made and closed arrives altered. What
# becomes of those connections nobody promises; that nothing is left of them, and that there
# are others as soon as messages arrive as they were sent.
#
# SEED       what is altered follows from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 24)

# changes_much: host 2 closes its connections, and others want new ones. Whether a ping of
# these is answered nobody promises either, so none of them decides.
changes_much()
{
	local i

	for ((i = 1; i <= rounds; i++)); do
		mode datagram 2 && mode connected 2 || return
		in_ns "$h1" ping -q -c 3 -i 0.1 -W 0.3 -s 20000 10.0.0.2
		in_ns "$h2" ping -q -c 3 -i 0.1 -W 0.3 -s 20000 10.0.0.3
	done
	return 0
}

# Host 2 begins anew more often than peers answer, so it may have to wait, which is said.
expected='no connections: (-EBUSY|-16)'
plan 6
note "SEED=${SEED:=1}"
ib_hosts 3
setup connected "rc uc" 1 2 3
setup ib_knob seed "$SEED"
setup ib_knob garble_cm_ppm 300000
check "connections come and go" changes_much
note "$(< "$ibdevsim/garbled") messages were altered"
check "many messages were altered" [ "$(< "$ibdevsim/garbled")" -ge "$rounds" ]
setup ib_knob garble_cm_ppm 0
setup mode datagram 1 2 3
# What failed a few times in a row would be tried again after a minute.
for ns in "$h1" "$h2" "$h3"; do
	setup ip -n "$ns" link set ib0 down
	setup ip -n "$ns" link set ib0 up
	setup eventually is_up "$ns"
done
check "nothing is left" eventually nothing_of conn
setup connected "rc uc" 1 2 3
check "there are connections again" \
	eventually by_connection 1 60000 ping_each "$h1" 10.0.0.2 -w 2 -s 20000
check "host 2 reaches host 3" eventually ping_all "$h2" 10.0.0.3 -w 2 -s 20000
check "host 3 reaches host 1" eventually ping_all "$h3" 10.0.0.1 -w 2
