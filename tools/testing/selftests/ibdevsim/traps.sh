#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Traps say what they are about, and each is repeated in its own time, whatever others a
# node has to tell.
. "$(dirname "$0")/lib.sh"

# wrong_qkey: for the GSI of the other HCA
wrong_qkey()
{
	echo "ibdevsim0 $(lid_of ibdevsim1) - 1 1 1 64" > "${loop%/*}/inject"
}

rename()
{
	echo "$1" > /sys/class/infiniband/ibdevsim1/node_desc
}

# traps NUMBER FIELD...: a line for each that was captured
traps()
{
	local field fields=()

	for field in "${@:2}"; do
		fields+=(-e "$field")
	done
	decode -Y "infiniband.mad.method == 5 && infiniband.notice.trapnumberdeviceid == $1" \
		-T fields "${fields[@]}" 2> "$tmp/decode"
}

# say NUMBER WHAT FIELD...: all of them do
say()
{
	traps "$1" "${@:3}" | sort -u | diff - <(echo "$2")
}

# in_time NUMBER: no two of them within 0.9 s of each other, and there are two
in_time()
{
	traps "$1" frame.time_epoch | sort -n |
		awk '{ print; if (NR > 1 && $1 - last < 0.9) early = 1; last = $1 }
			END { exit early || NR < 2 }'
}

# repeats: for so long that each is repeated, while another one comes
repeats()
{
	rename one && sleep 0.4 && wrong_qkey && sleep 2.5
}

plan 5
fabric 2
setup load ibdevsim_loop
setup pause_sm
setup capture
setup repeats
setup captured
check "of a new name it is said that it is that" say 144 0x01 \
	infiniband.trap.nodedescriptionchange
check "it is repeated in time" in_time 144
check "and so is the other one" in_time 258
setup capture
setup ibportstate "$(lid_of ibdevsim1)" 1 mkey 0x1234
check "with a wrong key nothing is set" \
	not diag ibportstate -t 200 -y 0x77 "$(lid_of ibdevsim1)" 1 speed 1
setup captured
check "it is said which one, and to what" \
	say 256 $'0x02\t0x0015\t0x0000000000000077' infiniband.trap.method \
	infiniband.trap.attributeid infiniband.trap.mkey
