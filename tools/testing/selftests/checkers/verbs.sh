#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Verbs that wait for the firmware of other HCAs are no calls for where nobody may sleep. Who
# makes one of ibdevsim there is told so by a kernel that looks out for that, though here
# nothing would have to wait.
expected='BUG: sleeping function|Call Trace:'
. "$(dirname "$0")/../ibdevsim/lib.sh"

complaints()
{
	kernel_log | grep -c 'sleeping function called from invalid context at .*/ibdevsim/'
}

# complains VERB: of this one, which the kernel does not say twice within a second
complains()
{
	local before

	before=$(complaints)
	echo "$1 ibdevsim0 ibdevsim1" > "${loop%/*}/case" && [ "$(complaints)" -gt "$before" ]
}

verbs=(query_port query_gid query_pkey modify_port modify_qp query_qp attach_mcast detach_mcast)
plan ${#verbs[@]}
note "expect: sleeping function called from invalid context at .*/ibdevsim/"
note "no harm is done to the machine"
fabric 2
setup load ibdevsim_loop
for verb in "${verbs[@]}"; do
	check "$verb may sleep" busywait 20000 complains "$verb"
done
