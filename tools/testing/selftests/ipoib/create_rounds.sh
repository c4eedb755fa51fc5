#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A hundred interfaces made, taken up and removed leave nothing behind.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds()
{
	local i

	for ((i = 0; i < 100; i++)); do
		ip -batch - <<- END || return
			link add link $eth1 name $ib type ipoib
			link set $ib up
			link del $ib
		END
	done
}

made_100()
{
	awk '$1 == "dev" && $2 >= 100 { ok = 1 } END { exit !ok }' "$objects"
}

plan 3
setup two_ports
check "a hundred rounds" rounds
check "each made a device" made_100

setup host 1
setup host 2
check "the next interface works" eventually ping_all "$h1" 10.0.0.2
