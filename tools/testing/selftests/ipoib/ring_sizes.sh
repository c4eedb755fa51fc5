#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan
# HCAs: not irdma, for a link starts anew with their next queue pair
#
# Rings of datagrams get other sizes while packets are on their way: the link, its address and
# what is sent stay.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# sizes: most that may be received and sent, and what is set
sizes()
{
	in_ns "$h1" ethtool -g ib0 | sed -n 's/^[RT]X:[[:space:]]*//p' | paste -s -d ' '
}

# sizes_are RX TX
sizes_are()
{
	[ "$(sizes)" = "1024 256 $1 $2" ] || { sizes; return 1; }
}

# resize RX TX
resize()
{
	in_ns "$h1" ethtool -G ib0 rx "$1" tx "$2"
}

# resized RX TX [RX TX]: it is set to the former, which makes it the latter
resized()
{
	resize "$1" "$2" && sizes_are "${3-$1}" "${4-$2}"
}

# refused WHY OPTION...: and nothing changes
refused()
{
	! in_ns "$h1" ethtool -G ib0 "${@:2}" 2> "$tmp/why" || return
	cat "$tmp/why"
	grep "$1" "$tmp/why" && sizes_are 256 256
}

# link: what all nodes know of it, and how often it came and went
link()
{
	lladdr "$h1"
	in_sysfs "$h1" cat /sys/class/net/ib0/carrier_changes
	counter "$h1" qp_recoveries
}

# resized_in_traffic RX TX: some packets are sent between this and the change before
resized_in_traffic()
{
	eventually grew "$h1" tx0_packets "$sent" && resized "$@" || return
	sent=$(counter "$h1" tx0_packets)
}

# changes: while others send to it, and it sends as fast as it can; nothing of that is lost
changes()
{
	local job jobs dropped sent i

	dropped=$(lost "$h1")
	sent=$(counter "$h1" tx0_packets)
	background ip netns exec "$h1" perl -MSocket -e 'socket(S, PF_INET, SOCK_DGRAM, 0);
		send(S, "x" x 1000, 0, pack_sockaddr_in(9, inet_aton("10.0.0.2"))) while 1'
	jobs=$job
	flood "$h2" 10.0.0.1
	for i in 1 2 3 4 5; do
		resized_in_traffic 1024 64 && resized_in_traffic 512 128 &&
			resized_in_traffic 256 256 || return
	done
	kill "$jobs" "$job"
	eventually ping_all "$h1" 10.0.0.2 -w 2 && [ "$(lost "$h1")" = "$dropped" ]
}

# a_poll: has answered, and the next one is 3 seconds later
a_poll()
{
	in_ns "$h2" ping -q -c 1 -i 0.5 -w "$minute" 10.0.0.1
}

# takes LEAST MOST: so many of 1000 datagrams that come before one is looked at
takes()
{
	local before took

	a_poll || return
	before=$(counter "$h1" rx0_packets)
	# What takes longer than two seconds may have been looked at in the middle.
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$h2" perl -MSocket -MTime::HiRes=time -e 'socket(S, PF_INET, SOCK_DGRAM, 0);
		$at = time;
		send(S, "x", 0, pack_sockaddr_in(9, inet_aton("10.0.0.1"))) for 1 .. 1000;
		exit(time - $at > 2)' || return
	a_poll || return
	took=$(($(counter "$h1" rx0_packets) - before))
	echo "took $took"
	[ $took -ge "$1" ] && [ $took -le "$2" ]
}

plan 13
two_hosts
check "256 each, and more buffers if wanted" sizes_are 256 256
setup ping_all "$h1" 10.0.0.2
link > "$tmp/link"
check "other sizes, while packets are on their way" changes
check "the link has stayed as it was" diff "$tmp/link" <(link)
check "a size is rounded up" resized 65 100 128 128
setup resize 256 256
check "fewer than 64 are refused" refused "at least" rx 63
check "nor can fewer be sent" refused "at least" tx 32
check "so are more than there may be" refused "exceeds maximum" rx 2048
check "others than these two are" refused "exceeds maximum" rx-jumbo 64
setup poll_late "$h1" 3000
check "of many at once some find no buffer" eventually takes 256 600
setup ip -n "$h1" link set ib0 down
check "while it is down, too" resized 1024 64
setup ip -n "$h1" link set ib0 up
check "then all of them are received" eventually takes 1000 1020
check "the sizes are those" sizes_are 1024 64
check "and no packet was taken for a stranger's" [ "$(counter "$h1" port_qkey_violations)" = 0 ]
