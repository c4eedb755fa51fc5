#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The diagnostics tools get an answer to everything they ask.
. "$(dirname "$0")/lib.sh"

says()
{
	local what=$1

	shift
	"$@" > "$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	grep -q "$what" "$tmp/said" || { cat "$tmp/said"; return 1; }
}

pings()
{
	ibping -S -C ibdevsim1 &
	sms+=($!)
	eventually timeout 10 ibping -c 3 -C ibdevsim0 "$(lid_of ibdevsim1)"
}

plan 19
fabric 2
there=$(lid_of ibdevsim1)
switch=$(saquery --list NR | sed -n '/Switch/{x;p;};/lid\.\./h' | tr -dc '0-9\n' | head -n 1)
switch=${switch:-2}
check "ibstat" says 'State: Active' ibstat ibdevsim0
check "ibstatus" says 'ACTIVE' ibstatus ibdevsim0
check "smpquery nodeinfo, routed by LID" says 'Channel Adapter' smpquery nodeinfo "$there"
check "smpquery nodeinfo, directed" says Switch smpquery -C ibdevsim0 -D nodeinfo 0,1
check "smpquery portinfo" says 'LinkState:.*Active' smpquery portinfo "$there" 1
check "smpquery pkeys" says 0xffff smpquery pkeys "$there"
check "smpquery guidinfo" says 0x0269620000000201 smpquery guidinfo "$there"
check "smpquery switchinfo" says 'LinearFdbTop' smpquery switchinfo "$switch"
check "saquery NodeRecord" says 'ibdevsim switch' saquery NR
check "saquery groups" says ff12:401b:ffff::ffff:ffff saquery -g
check "perfquery" says PortXmitData perfquery "$there" 1
check "perfquery -x, of all ports of the switch" says PortRcvPkts perfquery -x -a "$switch"
check "ibroute" says "0x000$there" ibroute -C ibdevsim0 "$switch"
check "ibping" pings
check "sminfo" says SMINFO_MASTER sminfo
check "ibhosts" says 'ibdevsim HCA 2' ibhosts
check "ibswitches" says 'ibdevsim switch' ibswitches
check "ibtracert" says "lid $there" ibtracert "$(lid_of ibdevsim0)" "$there"
check "saquery PathRecord" says "dlid.*[^0-9]$there\$" saquery --src-to-dst "$(lid_of ibdevsim0):$there"
