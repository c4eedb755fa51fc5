#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for they have no UC
#
# As many connections as one port may have, 128, go side by side, not one after the other,
# even if the peers do not say that they know of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=$(much 512)
most=$((limit / 4))
few=$((limit / 16))

# in_the_end COMMAND...: hundreds that have to be made, or to wait for an answer, or to
# be taken down may take longer than anything else
in_the_end()
{
	busywait $((3 * patience)) "$@"
}

# in_lines N FILE REGEX: so many lines. The words of the library take a second for
# hundreds of lines where grep takes one program
in_lines()
{
	[ "$(grep -cE "$3" "$2")" -eq "$1" ] || { head -n 20 "$2"; return 1; }
}

# many N: connections to peers that will not answer, of both transports. Until our end
# knows that they are live there is no DREQ to end them, but a REJ
many()
{
	local each=$(($1 / 2))
	local ours=$debug/$rdma1.1.ffff/connections

	cmpeer forget && ask_in_turn $((limit / 32)) $each 0x1000 mute=1 &&
		ask_in_turn $((limit / 32)) $each 0x2000 mute=1 transport=uc &&
		in_the_end in_lines $((2 * each)) $cmpeer/connections 'state=established' &&
		in_the_end in_lines $((2 * each)) "$ours" 'state=established'
}

# told N: that their connection ends
told()
{
	in_the_end in_lines $(($1 / 2 * 2)) $cmpeer/connections 'state=ended .*came=dreq'
}

all_closed()
{
	in_lines 0 $cmpeer/connections 'state=established' && nothing_of conn
}

plan 9
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup in_ns "$h1" ethtool -L ib0 other "$limit"
setup eventually is_up "$h1"

setup many "$most"
check "the interface goes down at once" \
	within 10 ip -n "$h1" link set ib0 down
check "the peers are told" told "$most"
check "no connection is left" in_the_end all_closed
setup ip -n "$h1" link set ib0 up
setup eventually is_up "$h1"

# For what else ends them fewer are enough: one after the other, 4 s each, they would
# be seen.
setup many "$few"
check "the mode is switched at once" within 10 \
	ip -n "$h1" link set ib0 type ipoib mode datagram
check "the peers are told" told "$few"
check "no connection is left" in_the_end all_closed
setup connected "rc uc" 1

setup many "$few"
check "the module is removed" within 40 rmmod ipoib
check "the peers were told" told "$few"
check "it can be loaded again" load_ipoib
