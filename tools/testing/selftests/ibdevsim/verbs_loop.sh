#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: kcsan stock
#
# Messages arrive, in order and unharmed, over every transport and size; those of
# reliable connections even when packets are lost on the way.
. "$(dirname "$0")/lib.sh"

# arrive TYPE SIZE COUNT [LEAST]
arrive()
{
	echo "$1 ibdevsim0 ibdevsim1 $2 $3" > $loop || return
	cat $loop
	[ "$(sed -n 's/^sent //p' $loop)" -eq "$3" ] &&
	[ "$(sed -n 's/^received //p' $loop)" -ge "${4:-$3}" ] &&
	grep -qx 'bad 0' $loop && grep -qx 'errors 0' $loop
}

# As arrive, but some are lost: the knob works.
some_arrive()
{
	arrive "$1" "$2" "$3" 1 && [ "$(sed -n 's/^received //p' $loop)" -lt "$3" ]
}

# more_are_sent COMMAND...: by a tenth than there have to be, of packets of 4096 octets: what
# was lost is sent again
more_are_sent()
{
	local before

	before=$(xmit_packets)
	"$@" && [ $(($(xmit_packets) - before)) -ge $((200 * 4 * 11 / 10)) ]
}

xmit_packets()
{
	sed -n 's/^xmit_packets //p' $debugfs/ibdevsim0/counters
}

# waits_for_buffers COMMAND...: as often as the receiver is told to have none
waits_for_buffers()
{
	knob ibdevsim1/rnr 5 && "$@" && [ "$(< $debugfs/ibdevsim1/rnr)" -eq 0 ]
}

sends()
{
	grep -x '[0-9]* type 2 state 3' $debugfs/ibdevsim0/qps
}

# ends_when_killed: a run that would take hours
ends_when_killed()
{
	local pid

	run_for_hours &
	pid=$!
	eventually sends
	kill -KILL $pid
	eventually not kill -0 $pid
}

run_for_hours()
{
	echo "rc ibdevsim0 ibdevsim1 4 4000000000" > $loop
}

plan 15
fabric 2
setup load ibdevsim_loop
check "UD, 4 octets" arrive ud 4 1000
check "UD, a full packet" arrive ud 4096 1000
check "UD, longer than a packet is refused" not arrive ud 4097 1
for type in rc uc; do
	for size in 4 2048 2049 65536; do
		check "${type^^}, $size octets" arrive $type $size 200
	done
done
setup knob drop_rc_ppm 50000
check "RC, 5 % of packets lost" more_are_sent arrive rc 16384 200
setup knob drop_uc_ppm 50000
check "UC, 5 % of packets lost" some_arrive uc 16384 200
setup knob drop_rc_ppm 0
check "a run that is killed ends" ends_when_killed
check "RC, receiver not ready five times" waits_for_buffers arrive rc 4096 100
