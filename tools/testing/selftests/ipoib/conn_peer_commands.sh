#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module with the peers of the other tests takes commands that make sense
# only, and goes whenever it is told to, whatever its peers are doing.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused LINE...: each of them
refused()
{
	local line

	for line; do
		! cmpeer "$line" || { echo "taken: $line"; return 1; }
	done
}

many=$(much 300)

plan 5
two_hosts
setup connected "rc uc" 1
setup cm_peers
dev="dev=$rdma2" host="to=$(lladdr "$h1")"
check "nonsense is refused" refused '' nonsense "open" "open $dev $host qpn=x" \
	"open $dev $host qpn=0x1000000" "open $dev $host transport=rd" \
	"open $dev $host count=0" "open $dev $host count=1000000" \
	"open $dev $host data=0" "open $dev $host data=zz" "open $dev $host recv=99" \
	"open $dev to=00:01 qpn=2" "open $dev ${host}:00" "open $dev $host foo=1" \
	"open $dev $host port=2" "listen $dev answer=no" "send size=70000"
check "a device that is not there" refused "open dev=none $host" "listen dev=none"
check "nothing came of it" peers_are 0 id
setup cmpeer listen "$dev" qpn=0x10
setup ask_host 1 qpn=0x1000 "count=$many"
check "it goes in the middle of $many requests" within 30 rmmod ipoib_cmpeer
check "nothing is left" eventually connections_are 1 0
