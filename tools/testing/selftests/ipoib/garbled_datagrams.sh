#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Of the datagrams of three hosts a third arrives altered, or shorter: ARP, neighbour
# discovery, IP, groups and fragments, and each begins as a real one does. What is of no use
# is dropped and counted; afterwards they talk as before.
#
# SEED       what is altered follows from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

packets=$(much 1000)

# dropped N: what host N has received and made nothing of
dropped()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -S ib0 | awk '/ drop_rx_/ && !/_own:/ { n += $2 } END { print n + 0 }'
}

# altered: so many have been, and meanwhile somebody is always being looked for
altered()
{
	forget_neighbours "$h1" dev ib0 && forget_neighbours "$h2" dev ib0 || return
	in_ns "$h2" ping -q -c 3 -i 0.05 -w 1 fd00::3
	echo "$(< "$ibdevsim/garbled") of $packets"
	[ "$(< "$ibdevsim/garbled")" -ge "$packets" ]
}

# others_answer: not only host 3 itself
others_answer()
{
	in_ns "$h3" ping -b -c 3 -i 0.2 -w 2 10.0.0.255 > "$tmp/answers"
	cat "$tmp/answers"
	grep -q "from 10.0.0.1:" "$tmp/answers" && grep -q "from 10.0.0.2:" "$tmp/answers"
}

plan 6
note "SEED=${SEED:=1}"
ib_hosts 3
setup ib_knob seed "$SEED"
setup ib_knob garble_ud_ppm 300000
setup flood "$h1" 10.0.0.2 -i 0.01
setup flood "$h2" 10.0.0.3 -i 0.01 -s 8000
setup flood "$h3" 10.0.0.255 -i 0.01 -b
check "many are altered" eventually altered
check "host 2 has dropped some" [ "$(dropped 2)" -gt 0 ]
setup ib_knob garble_ud_ppm 0
# Nor is anybody left to be where he is not.
setup forget_neighbours "$h1" dev ib0
setup forget_neighbours "$h2" dev ib0
setup forget_neighbours "$h3" dev ib0
check "host 1 reaches host 2" eventually ping_all "$h1" 10.0.0.2 -w 2
check "host 2 reaches host 3" eventually ping_all "$h2" 10.0.0.3 -w 2
check "host 3 reaches host 1" eventually ping_all "$h3" fd00::1 -w 2
check "others hear a broadcast" eventually others_answer
