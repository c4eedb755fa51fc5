#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nmstate's scenarios of InfiniBand with bonds, tests/integration/infiniband_test.py of its
# repository: a port becomes that of an active-backup bond, and so do two children. Bridges and
# other bonds nmstate refuses by itself.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# desire NAME [KEY=VALUE...]: it is to be what options has of it, and that
desire()
{
	# shellcheck disable=SC2086 # words
	"$1" "$2" ${options[$2]} "${@:3}"
}

# bonded ADDRESS/LENGTH NAME...: a bond with that is made of these, which are active already
bonded()
{
	local name bond=(bond99 bond=active-backup ip4="$1")

	shift
	begin && store "${bond[@]}" || return
	for name; do
		desire store "$name" controller=bond99 || return
	done
	enforce "${bond[@]}" || return
	for name; do
		desire enforce "$name" controller=bond99 && eventually link_is 1 "$name" "master bond99 " || return
	done
	verified link_is 1 bond99 "mode active-backup "
}

# unbonded NAME...: these are to be on their own again
unbonded()
{
	local name

	absent bond99 || return
	for name; do
		desire store "$name" && desire enforce "$name" || return
	done
	verified not link_is 1 bond99 .
}

needs NetworkManager nmcli dbus-daemon busctl
plan 12
partitions+=$red${red/red=0x0001/green=0x0002}
setup modules bonding
defer rmmod bonding
ib_fabric 2
port 1
setup host 2
setup child 2 0x8001
setup child_addresses 2 ib0.8001
machine 1
defer ip -n "$h1" link del bond99
network_manager 1
for mode in datagram connected; do
	declare -A options=([ib0]="mode=$mode"
		[ib0.8001]="mode=$mode base=ib0 pkey=0x8001"
		[ib0.8002]="mode=$mode base=ib0 pkey=0x8002")
	setup state ib0 "mode $mode" mode=$mode
	check "$mode: a port" bonded 10.0.0.1/24 ib0
	check "reaches others" reaches 1 10.0.0.2
	check "it is on its own again" unbonded ib0
	for name in ib0.8001 ib0.8002; do
		# shellcheck disable=SC2086 # words
		setup state $name "mode $mode" ${options[$name]}
	done
	check "two children" bonded 10.1.0.1/24 ib0.8001 ib0.8002
	setup ip -n "$h1" link set bond99 type bond active_slave ib0.8001
	check "reach the partition of the active one" reaches 1 10.1.0.2
	check "they are on their own again" unbonded ib0.8001 ib0.8002
	setup absent ib0 ib0.8001 ib0.8002
	setup verified not link_is 1 ib0.8002 .
done
