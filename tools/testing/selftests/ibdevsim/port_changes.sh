#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A port gets another LID, more GUIDs, and an HCA goes away, while others look on.
. "$(dirname "$0")/lib.sh"

lid_is()
{
	[ "$(lid_of "$1")" -eq "$2" ] && smpquery -C ibdevsim0 nodeinfo "$2"
}

gid_is()
{
	cat "/sys/class/infiniband/ibdevsim1/ports/1/gids/$1"
	[ "$(cat "/sys/class/infiniband/ibdevsim1/ports/1/gids/$1")" = "$2" ]
}

guid_told()
{
	smpquery -C ibdevsim0 guidinfo "$(lid_of ibdevsim1)" > "$tmp/guids" &&
	cat "$tmp/guids" && grep "$1" "$tmp/guids"
}

mtu_is()
{
	smpquery -C ibdevsim0 portinfo "$(lid_of ibdevsim1)" 1 > "$tmp/portinfo"
	grep "MtuCap.*\.$1$" "$tmp/portinfo" || { cat "$tmp/portinfo"; return 1; }
}

gone()
{
	! [ -e /sys/class/infiniband/ibdevsim2 ] && ! smpquery -t 100 -C ibdevsim0 nodeinfo "$1"
}

# received N: of three messages from the other HCA
received()
{
	echo "ud ibdevsim0 ibdevsim1 2000 3" > $loop && cat $loop && grep -qx "received $1" $loop
}

# enabled WIDTH SPEED: what the port may have
enabled()
{
	smpquery -C ibdevsim0 portinfo "$(lid_of ibdevsim1)" 1 > "$tmp/portinfo"
	cat "$tmp/portinfo"
	grep -q "LinkWidthEnabled:\.*$1$" "$tmp/portinfo" &&
		grep -q "LinkSpeedEnabled:\.*$2$" "$tmp/portinfo"
}

portstate()
{
	ibportstate -C ibdevsim0 "$(lid_of ibdevsim1)" 1 "$@"
}

nodes_are()
{
	saquery NR > "$tmp/nodes" || return
	[ "$(grep -c 'ibdevsim HCA' "$tmp/nodes")" -eq "$1" ] || { cat "$tmp/nodes"; return 1; }
}

plan 15
fabric 3
# Who would soon have it as it was
setup pause_sm
setup knob ibdevsim1/lid 99
check "the LID changes behind the subnet manager's back" eventually lid_is ibdevsim1 99
setup load ibdevsim_loop
check "datagrams that its port takes arrive" received 3
setup knob ibdevsim1/mtu_cap 1024
check "longer ones do not, whatever the switch has sent" received 0
check "no connection has a path wider than its port" \
	not sh -c "echo rc ibdevsim0 ibdevsim1 100 3 > $loop"
setup knob ibdevsim1/mtu_cap 4096
setup portstate width 2
setup portstate speed 1
check "it may have one width and one speed" enabled 4X '2.5 Gbps'
setup portstate width 255
setup portstate speed 15
check "or all that it has" enabled '1X or 4X' '2.5 Gbps or 5.0 Gbps or 10.0 Gbps'
setup kill -CONT "$sm_pid"
setup knob ibdevsim1/guids '17 0x0269620000abcdef'
check "the port has another GUID" eventually gid_is 17 fe80:0000:0000:0000:0269:6200:00ab:cdef
check "and tells who asks" eventually guid_told 0x0269620000abcdef
setup knob ibdevsim1/guids '17 0'
check "and has it no more" eventually gid_is 17 0000:0000:0000:0000:0000:0000:0000:0000
check "the port's own cannot be changed" not knob ibdevsim1/guids '0 1'
check "no port takes an MTU that there is not" not knob ibdevsim1/mtu_cap 1500
setup knob ibdevsim1/mtu_cap 1024
check "it tells the one that it takes" eventually mtu_is 1024
last=$(lid_of ibdevsim2)
setup sh -c 'echo 2 > /sys/devices/ibdevsim/del_hca'
check "an HCA is gone" gone "$last"
check "the subnet manager notices" eventually nodes_are 2
check "it cannot be removed again" not sh -c 'echo 2 > /sys/devices/ibdevsim/del_hca'
