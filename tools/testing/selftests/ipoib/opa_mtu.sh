#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Omni-Path has MTUs of 8192 and 10240 octets, which the attributes of a port do not tell,
# and whose codes IBTA does not know. What OpenSM, which does not either, says of MTUs is
# altered on its way. An address has its MTU as a power of two there, and no datagram is sent that
# is longer than that.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# mtus_are CODE: of the groups and of all paths, as the subnet administrator says it. It
# knows groups with 4096, in records behind 38 octets, and paths behind 54
mtus_are()
{
	ib_knob mad_rules "" &&
		ib_knob mad_rules "class=3 method=2 attr=0x38 match=94:8$1 set=94:85" &&
		ib_knob mad_rules "class=3 method=0x81 attr=0x38 set=94:8$1" &&
		ib_knob mad_rules "class=3 method=0x81 attr=0x35 set=110:8$1"
}

mtu_is()
{
	ip -n "$h1" link show ib0
	ip -n "$h1" link show ib0 | grep -q " mtu $1 "
}

# lengths NS ADDRESS: what is copied, what is not, where a buffer of pages goes on in its next one,
# and the longest
lengths()
{
	local octets

	for octets in 256 257 3667 3668 3669 3672 7764 7765 7768 8188; do
		ping_all "$1" "$2" -M "do" -s $((octets - 28)) || return
	done
}

# told_for SECONDS: host 2 tells host 1 its address so long, again and again
told_for()
{
	local end=$((${EPOCHREALTIME/./} / 1000 + $1 * 1000))

	while [ $((${EPOCHREALTIME/./} / 1000)) -lt $end ]; do
		forget_neighbours "$h2" dev ib0 && ping_all "$h2" 10.0.0.1 -c 1 || return
	done
}

# questions: of host 1 for paths since there are these rules
questions()
{
	sed -n "s/^matched \([0-9]*\) .*class=3 method=1 attr=0x35 from=$rdma1\$/\1/p" \
		"$ibdevsim/mad_rules" | grep .
}

# none_asked: while host 2 tells its address for three seconds
none_asked()
{
	local before

	before=$(questions) && told_for 3 && [ "$(questions)" = "$before" ]
}

# both_up: anew, for what the subnet administrator says now
both_up()
{
	local ns

	for ns in "$h1" "$h2"; do
		ip -n "$ns" link set ib0 down && ip -n "$ns" link set ib0 up || return
	done
	eventually is_up "$h1" && eventually is_up "$h2"
}

plan 9
ib_fabric 1
# That one is the subnet manager's.
rdma1=ibdevsim1 rdma2=ibdevsim2
setup netns "$h1" "$h2"
setup mtus_are 7
echo "hfi1 2" > /sys/devices/ibdevsim/new_hca
setup take_interface 1 2
check "a group of 10240 octets is joined" eventually is_up "$h2"
check "the MTU of IP is 8188" eventually mtu_is 8188
check "a peer whose path has as much is reached" eventually ping_all "$h1" 10.0.0.2
check "by datagrams as long as that" ping_all "$h1" 10.0.0.2 -M "do" -s 8160
# A path that is a second old is asked for again if its peer is heard from elsewhere.
setup ib_knob mad_rules "class=3 method=1 attr=0x35 from=$rdma1"
# News of the subnet may be on their way, and have it asked for, too.
check "a peer that is heard from where it was is not looked for" eventually none_asked
check "the other way, of all lengths" lengths "$h2" 10.0.0.1
setup mtus_are 5
setup both_up
setup eventually mtu_is 4092
setup mtus_are 6
setup both_up
check "8192 octets: 8188" eventually mtu_is 8188
check "datagrams as long as that" eventually ping_all "$h1" 10.0.0.2 -M "do" -s 8160
setup connected rc 1 2
check "a connection" eventually by_connection 1 300000 large "$h1" 10.0.0.2
