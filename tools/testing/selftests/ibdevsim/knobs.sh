#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each knob says what it was set to, and keeps it when it is told nonsense. What can
# only be read shows what is there.
. "$(dirname "$0")/lib.sh"

shows()
{
	cat "$debugfs/$1"
	grep -qxE "$2" "$debugfs/$1"
}

# keeps KNOB VALUE NONSENSE...
keeps()
{
	local nonsense

	knob "$1" "$2" || return
	for nonsense in "${@:3}"; do
		! knob "$1" "$nonsense" || { echo "it takes $nonsense"; return 1; }
		shows "$1" "$2" || return
	done
}

long=$(printf '%040d' 1)

plan 19
# With two LIDs, for what that means for one that it is told
fabric 2 -l 1
setup modprobe -C /dev/null ib_ipoib
check "the switch itself" shows switch '0 state 4 phys 5 mtu 10240 lid [1-9].*'
check "a port of it that has a cable" shows switch '2 state 4 phys 5 mtu 4096 lid 0'
check "and one that has none" shows switch '3 state 1 phys 2 mtu 10240 lid 0'
check "a port's own P_Key" shows ibdevsim0/pkeys '0 0xffff'
check "a port's own GUID" shows ibdevsim0/guids '0 0x0269620000000101'
check "the queue pair of an interface that is down" \
	shows ibdevsim0/qps '[0-9]+ type 4 state 0'
check "none fails that is not there" not knob ibdevsim0/qp_error 16777217
check "no rate of what would do no harm" [ ! -e "$debugfs/dup_smp_ppm" ]
# Who would soon have it as it was
setup pause_sm
check "seed" keeps seed 7 x
check "a rate" keeps dup_rc_ppm 1000000 1000001 x
check "a LID to which nothing arrives" keeps drop_rc_dlid 49151 49152 x
check "the next queue pair's number" keeps ibdevsim1/next_qpn 16777214 63 16777215 x
check "migration" keeps ibdevsim1/migration 0 2 x
check "the largest MTU" keeps ibdevsim1/mtu_cap 2048 2047 8192 x
check "a P_Key" keeps ibdevsim1/pkeys '5 0x8001' '128 1' '5 0x10000' 5 x "5 $long"
check "a GUID" keeps ibdevsim1/guids '5 0x0269620000abcdef' '128 1' 5 x "5 $long"
check "a LID" keeps ibdevsim1/lid 98 0 1 49152 x
check "a vector's CPU" keeps ibdevsim1/vector0_cpu 0 4096 x
check "a cable" keeps ibdevsim1/link 0 2 x
