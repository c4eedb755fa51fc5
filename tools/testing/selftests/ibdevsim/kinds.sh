#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs like bnxt_re have no groups, like irdma no shared receive queues, and neither has
# unreliable connections: they say so, and do all the rest. Like hfi1 they send no datagram that is
# longer than 8192 octets, the power of two before their MTU.
. "$(dirname "$0")/lib.sh"

# run TYPE FROM: to the next one
run()
{
	echo "$1 ibdevsim$2 ibdevsim$(($2 + 1)) 64 10" > $loop && cat $loop &&
		grep -qx "received 10" $loop
}

# sized OCTETS FROM: a datagram of so many
sized()
{
	echo "ud ibdevsim$2 ibdevsim$(($2 + 1)) $1 1" > $loop && cat $loop &&
		grep -qx "received 1" $loop
}

# holds CASE FROM
holds()
{
	echo "$1 ibdevsim$2 ibdevsim$(($2 + 1))" > "${loop%/*}/case" && return
	dmesg | tail -n 4
	return 1
}

# cannot COMMAND...: it is not supported
cannot()
{
	"$@" 2> "$tmp/why"
	tee -a /dev/stderr < "$tmp/why" | grep -q "not supported"
}

pkeys()
{
	local pkeys=(/sys/class/infiniband/ibdevsim"$1"/ports/1/pkeys/*)

	echo ${#pkeys[@]}
}

plan 14
fabric 1
setup load ibdevsim_loop
echo "bnxt_re 2" > /sys/devices/ibdevsim/new_hca
echo "irdma 2" > /sys/devices/ibdevsim/new_hca
echo "hfi1 2" > /sys/devices/ibdevsim/new_hca
setup eventually all_active
bnxt=1 irdma=3 hfi1=5
check "bnxt_re: datagrams" run ud $bnxt
check "reliable connections" run rc $bnxt
check "no unreliable ones" cannot run uc $bnxt
check "no groups" cannot holds group_qpn $bnxt
check "nor when their verbs are called" cannot holds attach_mcast $bnxt
check "shared receive queues" holds srq_limit $bnxt
check "data in the work request" holds inline_data $bnxt
check "a send has its slot until polled" holds send_at_poll $bnxt
check "one P_Key" [ "$(pkeys $bnxt)" -eq 1 ]
check "irdma: reliable connections" run rc $irdma
check "no unreliable ones" cannot run uc $irdma
check "no shared receive queues" cannot holds srq_limit $irdma
check "hfi1: datagrams of 8192 octets" sized 8192 $hfi1
check "none that are longer" not sized 8193 $hfi1
