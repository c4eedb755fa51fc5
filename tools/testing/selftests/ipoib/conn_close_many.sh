#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# As many connections as there may be go side by side, not one after the other,
# even if the peers do not say that they know of it.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

limit=$(much 1000)

# in_the_end COMMAND...: a thousand that have to be made, or to wait for an answer, or to
# be taken down may take longer than anything else
in_the_end()
{
	busywait $((3 * patience)) "$@"
}

# many: connections to peers that will not answer, of both transports. Until our end
# knows that they are live there is no DREQ to end them, but a REJ
many()
{
	local each=$((limit / 2))

	cmpeer forget && ask_host 1 qpn=0x1000 count=$each mute=1 &&
		ask_host 1 qpn=0x2000 count=$each mute=1 transport=uc &&
		in_the_end peers_are "$limit" state=live &&
		in_the_end has_connections 1 "$limit"
}

all_closed()
{
	peers_are 0 state=live && nothing_of conn
}

plan 9
two_hosts
setup connected "rc uc" 1
setup cm_peers
setup in_ns "$h1" ethtool -L ib0 other "$limit"
setup eventually is_up "$h1"

setup many
check "the interface goes down at once" \
	within 10 ip -n "$h1" link set ib0 down
check "the peers are told" in_the_end peers_are "$limit" state=ended came=dreq
check "no connection is left" in_the_end all_closed
setup ip -n "$h1" link set ib0 up
setup eventually is_up "$h1"

setup many
check "the mode is switched at once" within 10 \
	ip -n "$h1" link set ib0 type ipoib mode datagram
check "the peers are told" in_the_end peers_are "$limit" state=ended came=dreq
check "no connection is left" in_the_end all_closed
setup connected "rc uc" 1

setup many
check "the module is removed" within 40 rmmod ipoib
check "the peers were told" in_the_end peers_are "$limit" state=ended came=dreq
check "it can be loaded again" load_ipoib
