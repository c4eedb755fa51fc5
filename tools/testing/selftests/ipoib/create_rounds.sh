#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A hundred interfaces made, taken up and removed leave nothing behind.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=$(much 60)

all_rounds()
{
	local i

	for ((i = 0; i < rounds; i++)); do
		interface_comes up && interface_goes || return
	done
}

made_devices()
{
	awk -v n="$rounds" '$1 == "dev" && $2 >= n { ok = 1 } END { exit !ok }' "$objects"
}

plan 3
spare_port
check "$rounds rounds" all_rounds
check "each made a device" made_devices

if on_ib; then
	setup interface_comes
	# OpenSM ignores a trap that comes more than ten times in a row, see link_flap.sh
	setup reload_sm sm1
fi
setup host 1 2
check "the next interface works" eventually ping_all "$h1" 10.0.0.2 -w 2
