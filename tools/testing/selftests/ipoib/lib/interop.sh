# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Beside ib_ipoib in one kernel: host 1 has an interface of ours, host 2 one of
# theirs. kind=ipoibx before plan makes that possible.
#
# shellcheck disable=SC2034,SC2154 # for the tests; from the other parts

# load_theirs: the kernel's own driver, whatever modprobe is told to load instead
load_theirs()
{
	modprobe -C /dev/null ib_ipoib
}

# What it logs when something has gone wrong with a packet or a queue pair.
they_complain='ib[0-9]+: .*(fail|error|wrid|Reject|timing out|unexpected|stopped)'
they_complain+='|ib[0-9]+: .*(Packet drop|too long)'

# interop_hosts FIRST: the driver that is there before the other, ours or theirs
interop_hosts()
{
	local theirs

	[ "$1" = ours ] || setup rmmod ipoib
	setup load_theirs
	defer rmmod ib_ipoib
	complaint+="|$they_complain"
	[ "$1" = ours ] || setup load_ipoib
	ib_fabric 2
	setup host 1
	setup netns "$h2"
	theirs=$(their_interface "$rdma2")
	setup ip link set "$theirs" netns "$h2" name ib0
	defer ip -n "$h2" link set ib0 down
	setup addresses 2
	setup eventually is_up "$h1"
	setup eventually is_up "$h2"
	setup eventually forwards_broadcast "$rdma1" "$rdma2"
}

# their_interface RDMADEV: the one with the port's GID that is not ours
their_interface()
{
	local ours gid name

	ours=$(interface_of "$1")
	gid=$(tr -d : < "/sys/class/infiniband/$1/ports/1/gids/0")
	for name in /sys/class/net/*; do
		[ "${name##*/}" = "$ours" ] ||
			[ "$(tr -d : < "$name/address" | tail -c 33)" != "$gid" ] ||
			echo "${name##*/}"
	done
}

# their_mode MODE: with the MTU that it allows
their_mode()
{
	mode "$1" 2 || return
	[ "$1" = datagram ] || ip -n "$h2" link set ib0 mtu 65520
}

# interop_connected: both, and nobody remembers addresses from before
interop_connected()
{
	their_mode connected && connected "rc uc" 1 &&
		forget_neighbours "$h2" dev ib0
}
