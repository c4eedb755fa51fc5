# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Who talks to whom: the ports and hosts of a test. On InfiniBand those of
# fabric_ib.sh; on RoCE the Ethernet devices, RDMA devices and hosts here.
#
#	 init_net                                 netns $h1, $h2, $h3
#	 $eth1 --- veth or bridge --- $eth2       ib0 on each of them,
#	 $rdma1                       $rdma2      10.0.0.N/24, fd00::N/64
#
# rdma_rxe receives in the initial network namespace only, so the Ethernet
# ends and the RDMA devices stay there and only the interfaces move.
#
# shellcheck disable=SC2154 # ../lib.sh sets the variables

id=$(($$ % 100000))
# shellcheck disable=SC2034 # for the tests
{
	ib=ib$id
	mtu=9000 snooping=0
	h1=ipoib-$id-1 eth1=eth${id}a rdma1=rxe${id}a
	h2=ipoib-$id-2 eth2=eth${id}b rdma2=rxe${id}b
	h3=ipoib-$id-3 eth3=eth${id}c rdma3=rxe${id}c
}

# owns_gid ETHDEV RDMADEV: a link-local address is usable and in the GID table
owns_gid()
{
	[ -n "$(ip -6 -o addr show dev "$1" scope link -tentative)" ] &&
		grep -q ^fe80 "/sys/class/infiniband/$2/ports/1/gids/"[0-7]
}

# ethdev_up ETHDEV: and no duplicate address detection, which takes a second
ethdev_up()
{
	echo 0 > "/proc/sys/net/ipv6/conf/$1/accept_dad" &&
		ip link set "$1" up
}

# rdma_port ETHDEV RDMADEV: a soft-RoCE port
rdma_port()
{
	rdma link add "$2" type rxe netdev "$1" || return
	defer rdma link del "$2"
	eventually owns_gid "$1" "$2"
}

# veth_pair: two Ethernet devices of MTU $mtu, wired together
veth_pair()
{
	ip link add "$eth1" mtu "$mtu" type veth \
		peer name "$eth2" mtu "$mtu" || return
	defer ip link del "$eth1"
	ethdev_up "$eth1" && ethdev_up "$eth2"
}

# two_ports: and an RDMA device on each
two_ports()
{
	veth_pair && rdma_port "$eth1" "$rdma1" &&
		rdma_port "$eth2" "$rdma2"
}

# netns NAME...: quick addresses, no packets but those that are asked for. An IPv6 packet of which a
# fragment was lost keeps the others for less than the minute after which the kernel complains that
# the pages of an interface which is gone are still used.
netns()
{
	local ns

	printf 'netns add %s\n' "$@" > "$tmp/netns"
	defer del_netns "$@"
	ip -batch "$tmp/netns" || return
	for ns; do
		in_ns "$ns" sh -c 'cd /proc/sys/net &&
			echo 0 > ipv6/conf/default/accept_dad &&
			echo 0 > ipv6/conf/default/router_solicitations &&
			echo 30 > ipv6/ip6frag_time &&
			echo 0 > ipv4/icmp_echo_ignore_broadcasts' || return
	done
}

# forget_neighbours NS {all|dev NAME}: those that NS knew. ip looks ten times whether any
# are left, and fails if traffic made new ones each time: those were not known before.
forget_neighbours()
{
	local said

	said=$(ip -n "$1" neigh flush "${@:2}" 2>&1) && return
	[[ $said == *"Flush not complete"* ]] || { echo "$said"; return 1; }
}

# del_netns NAME...: those that are still there
del_netns()
{
	printf 'netns del %s\n' "$@" > "$tmp/netns"
	ip -force -batch "$tmp/netns"
}

has_carrier()
{
	local link

	link=$(ip -n "$1" link show dev "${2:-ib0}") || return "$cannot_tell"
	echo "$link"
	[[ $link == *LOWER_UP* ]]
}

# is_up NS [NAME]: the stack, too, has taken notice of the carrier: before that it sends
# nothing, and has no addresses of its own
is_up()
{
	local link

	link=$(ip -n "$1" link show dev "${2:-ib0}")
	echo "$link"
	[[ $link == *LOWER_UP*' state UP '* ]]
}

# addresses N: those of host N, and the interface up
addresses()
{
	local ns=h$1 commands="link set lo up
		link set ib0 up
		addr add 10.0.0.$1/24 brd + dev ib0"

	# Not on a link that is too small for IPv6.
	[ "$mtu" -lt 2000 ] || commands+="
		addr add fd00::$1/64 dev ib0"
	ip -n "${!ns}" -batch - <<< "$commands"
}

on_ib()
{
	[ "$FABRIC" = ib ]
}

# interface N...: that of port N becomes ib0 of host N. On RoCE it is made, with $queues, on
# InfiniBand it has been there since there is a port
interface()
{
	local n ns eth

	if on_ib; then
		take_interface "$@"
		return
	fi
	for n; do
		ns=h$n eth=eth$n
		echo "link add link ${!eth} name ib0 netns ${!ns}" \
			"${queues:+numtxqueues $queues} type ipoib"
		defer ip -n "${!ns}" link del ib0
	done > "$tmp/interfaces"
	ip -batch "$tmp/interfaces" || return
	for n; do
		addresses "$n" || return
	done
}

# largest_mtu NETNS: that ib0 may have now
largest_mtu()
{
	ip -d -o -n "$1" link show dev ib0 | sed 's/.* maxmtu \([0-9]*\).*/\1/'
}

# host N...: a namespace with the interface of port N. For several at once `ip` is
# started less often, and most of the time goes into that
host()
{
	local n ns names=()

	for n; do
		ns=h$n
		names+=("${!ns}")
	done
	netns "${names[@]}" && interface "$@"
}

# one_interface: on a port, by the name of $ib, nobody's host
one_interface()
{
	if on_ib; then
		setup bare_fabric 1
		setup ip link set "$(interface_of "$rdma1")" name "$ib"
	else
		setup two_ports
		setup ip link add link "$eth1" name "$ib" type ipoib
		defer ip link del "$ib"
	fi
}

two_hosts()
{
	if on_ib; then
		ib_hosts 2
		return
	fi
	setup two_ports
	setup host 1 2
	setup eventually is_up "$h1"
	setup eventually is_up "$h2"
}

# spare_port: on it $ib comes and goes
spare_port()
{
	if on_ib; then
		ib_fabric 1
	else
		setup two_ports
	fi
}

# interface_comes [up]
interface_comes()
{
	if on_ib; then
		echo 1 > /sys/devices/ibdevsim/new_hca &&
			ip link set "$(interface_of "$rdma2")" name "$ib" "$@"
	else
		ip link add link "$eth2" name "$ib" "$@" type ipoib
	fi
}

interface_goes()
{
	if on_ib; then
		echo 1 > /sys/devices/ibdevsim/del_hca
	else
		ip link del "$ib"
	fi
}

# device_goes: the RDMA device of host 2, and its interface with it. The subnet
# manager is on the other's
device_goes()
{
	if on_ib; then
		echo 1 > /sys/devices/ibdevsim/del_hca
	else
		rdma link del "$rdma2"
	fi
}

device_comes()
{
	if on_ib; then
		echo 1 > /sys/devices/ibdevsim/new_hca
	else
		rdma_port "$eth2" "$rdma2"
	fi
}

# readdress: host 1 gets another link address, for its Ethernet device has another link-local
# one, at once, or its HCA has broken a completion queue, and there is another queue pair
readdress()
{
	local old n

	if on_ib; then
		ib_knob "$rdma1/send_cq_error" $(($(status "$rdma1" qpn)))
		return
	fi
	old=$(ip -6 -o addr show dev "$eth1" scope link | awk '{ print $4 }')
	# Another one each time, and no duplicate address detection, in which there is none.
	n=${old#fe80::}
	[[ ${n%/64} == [0-9][0-9] ]] || n=77
	ip -6 addr add "fe80::$((${n%/64} + 1))/64" dev "$eth1" nodad &&
		ip -6 addr del "$old" dev "$eth1"
}

# link_mtu 1024|2048|4096: what a packet on the link may have, from now on
link_mtu()
{
	local -A ethernet=([1024]=1500 [2048]=2200 [4096]=9000)
	local -A code=([1024]=3 [2048]=4 [4096]=5)

	if on_ib; then
		# shellcheck disable=SC2001 # a pattern takes no single digit
		partitions=$(sed "s/mtu=[0-9]/mtu=${code[$1]}/" <<< "$partitions")
		kill_sm sm1 && start_sm sm1
	else
		ip link set "$eth1" mtu "${ethernet[$1]}" &&
			ip link set "$eth2" mtu "${ethernet[$1]}"
	fi
}

bridge_port()
{
	ip link add "$1" mtu "$mtu" type veth peer name "p$1" mtu "$mtu" || return
	defer ip link del "$1"
	ip link set "p$1" master "br$id" up && ethdev_up "$1"
}

# bridged ETHDEV...: what they send is forwarded: that begins a little after the carrier
bridged()
{
	local eth

	for eth; do
		[ "$(< "/sys/class/net/p$eth/brport/state")" = 3 ] || return
	done
}

# three_hosts: on RoCE on a bridge, which snoops multicast if $snooping is 1
three_hosts()
{
	local n eth rdma ns

	if on_ib; then
		ib_hosts 3
		return
	fi
	setup modules bridge
	setup ip link add "br$id" mtu "$mtu" type bridge mcast_snooping "$snooping"
	defer ip link del "br$id"
	ip link set "br$id" up
	for n in 1 2 3; do
		eth=eth$n rdma=rdma$n ns=h$n
		setup bridge_port "${!eth}"
		setup rdma_port "${!eth}" "${!rdma}"
	done
	setup eventually bridged "$eth1" "$eth2" "$eth3"
	setup host 1 2 3
	for ns in "$h1" "$h2" "$h3"; do
		setup eventually is_up "$ns"
	done
}

