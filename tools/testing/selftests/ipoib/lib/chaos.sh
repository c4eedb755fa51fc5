# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What happens to three hosts in chaos.sh beside what is in events.sh, and at the same time as
# others of these; the list is at the end. Any of it may fail, for who begins it does not know
# what else happens. What it takes away it gives back.
#
# shellcheck disable=SC2034,SC2154 # chaos.sh, events.sh, hosts.sh and ../lib.sh have the variables

# Partitions of children; all hosts are in the first
partitions_of_children=(0x8001 0x8002 0x8003 0x8004)

# pick_of WORD...: sets picked to one of them
pick_of()
{
	pick $#
	shift "$picked"
	picked=$1
}

# a_moment: what comes next is rather soon, or at once
a_moment()
{
	pick 4
	[ "$picked" -eq 0 ] || read -rt "0.0$picked" -u "$silence"
}

# host_name N: the network namespace
host_name()
{
	local name=h$1

	echo "${!name}"
}

# port_link N OPTION...: name of the interface of port N in the namespace that ip is told; none
# of its children
port_link()
{
	local rdma=rdma$1 guid name rest

	guid=$(cut -d : -f 5- "/sys/class/infiniband/${!rdma}/ports/1/gids/0")
	# shellcheck disable=SC2001 # a pattern takes no part of what it has found
	guid=$(sed 's/[0-9a-f][0-9a-f]\B/&:/g' <<< "$guid")
	while read -r _ name rest; do
		[[ $name != *@* && $rest == *":$guid brd"* ]] && echo "${name%:}" && return
	done < <(ip "${@:2}" -o link show)
	return 1
}

# ask WORD: the test itself is to do that
ask()
{
	echo "$1" >&"$requests"
}

# often COMMANDS: of ip, several times, by one process
often()
{
	local i

	for i in 1 2 3 4 5 6; do
		echo "$1"
	done | ip -n "$ns" -force -batch -
}

# write_often FILE WORD...: to a file of the interface, without starting a program for each
write_often()
{
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_sysfs "$ns" bash -c 'for i in 1 2 3 4 5 6; do
		for word in "${@:2}"; do
			echo "$word" > "/sys/class/net/ib0/$1"
		done
	done' bash "$@"
}

# addressed N: host N, whatever addresses it has kept
addressed()
{
	ip -n "$(host_name "$1")" addr flush dev ib0
	addresses "$1"
}

down_up_often()
{
	pick_host
	often "link set ib0 down
link set ib0 up"
	addressed "$n"
}

mtu_often()
{
	pick_host
	often "link set ib0 mtu 1500
link set ib0 mtu 2044
link set ib0 mtu 4092"
}

mode_often()
{
	pick_host
	write_often mode connected datagram
}

mode_by_netlink()
{
	pick_host
	pick_of "mode connected" "mode datagram" "mode connected umcast 1" "umcast 0"
	# shellcheck disable=SC2086 # words
	ip -n "$ns" link set ib0 type ipoib $picked
}

flags()
{
	pick_host
	often "link set ib0 promisc on
link set ib0 allmulticast on
link set ib0 promisc off
link set ib0 allmulticast off"
}

private_flags()
{
	local flag arguments=()

	pick_host
	for flag in multicast-to-broadcast sl-of-broadcast rc uc opener-sends link-checksums; do
		pick_of on off
		arguments+=("$flag" "$picked")
	done
	in_ns "$ns" ethtool --set-priv-flags ib0 "${arguments[@]}"
}

few_connections()
{
	pick_host
	pick_of 1 2 3 64
	in_ns "$ns" ethtool -L ib0 other "$picked"
}

rings_change()
{
	local rx

	pick_host
	pick_of 64 128 256 1024
	rx=$picked
	pick_of 64 256
	in_ns "$ns" ethtool -G ib0 rx "$rx" tx "$picked"
}

connections_end_soon()
{
	pick_host
	echo 100 > "$debug/$rdma.1.ffff/conn_idle_ms"
	a_while
	echo 300000 > "$debug/$rdma.1.ffff/conn_idle_ms"
}

queueing()
{
	pick_host
	pick_of fq_codel noqueue "netem limit 20 delay 2ms" "netem loss 10%" "netem duplicate 10%" \
		"netem delay 5ms 5ms"
	# shellcheck disable=SC2086 # words
	in_ns "$ns" tc qdisc replace dev ib0 root $picked
	a_while
	in_ns "$ns" tc qdisc del dev ib0 root
}

polling()
{
	pick_host
	pick_of "threaded 1" "threaded 0" "gro_flush_timeout 200000" "gro_flush_timeout 0" \
		"napi_defer_hard_irqs 2" "napi_defer_hard_irqs 0"
	# shellcheck disable=SC2086 # words
	write_often $picked
}

interface_renamed()
{
	pick_host
	ip -n "$ns" link set ib0 name renamed
	a_moment
	ip -n "$ns" link set renamed name ib0
}

# The first HCA is what subnet managers and others look for.
device_renamed()
{
	local name

	pick_of "$rdma2" "$rdma3"
	name=$picked
	rdma dev set "$name" name "renamed$name" || return
	a_while
	rdma dev set "renamed$name" name "$name"
}

children_come_and_go()
{
	local pkey

	pick_host
	for pkey in "${partitions_of_children[@]}"; do
		echo "link add link ib0 name c$pkey type ipoib pkey $pkey
link set c$pkey up"
	done | ip -n "$ns" -force -batch -
	a_moment
	printf 'link del c%s\n' "${partitions_of_children[@]}" | ip -n "$ns" -force -batch -
}

children_by_files()
{
	pick_host
	write_often create_child "${partitions_of_children[@]:1}"
	a_moment
	write_often delete_child "${partitions_of_children[@]:1}"
}

# One that is not there is made, and one that is there goes.
child_now_and_then()
{
	pick_host
	pick_of "${partitions_of_children[@]:1}"
	ip -n "$ns" link del "ib0.$picked" ||
		{ ip -n "$ns" link add link ib0 name "ib0.$picked" type ipoib pkey "$picked" &&
		ip -n "$ns" link set "ib0.$picked" up; }
}

# in_passing WORKER: a namespace of its own
in_passing()
{
	echo "ipoib-$id-passing$1"
}

child_ends_with_namespace()
{
	local there

	there=$(in_passing "$worker")
	pick_host
	netns "$there"
	pick_of "${partitions_of_children[@]}"
	ip -n "$ns" link add link ib0 name child netns "$there" type ipoib pkey "$picked"
	ip -n "$there" -force -batch - <<-END
		link set child up
		addr add 10.1.0.$((100 + worker))/24 brd + dev child
		addr add 239.1.2.3/32 dev child autojoin
	END
	in_ns "$there" ping -q -w 1 -c 3 -i 0.01 10.1.0.1
	ip netns del "$there"
}

# Its port's interface returns, and so do its children.
host_ends()
{
	pick_host
	ip netns del "$ns"
	a_while
	netns "$ns"
	eventually interface "$n"
	red_child "$n"
}

host_in_passing()
{
	local there

	there=$(in_passing "$worker")
	pick_host
	netns "$there"
	ip -n "$ns" link set ib0 netns "$there"
	ip -n "$there" link set ib0 up
	a_moment
	ip netns del "$there"
	eventually interface "$n"
}

bonded()
{
	pick_host
	ip -n "$ns" -force -batch - <<-END
		link add bond0 type bond mode active-backup miimon 100
		link set ib0 down
		link set ib0 master bond0
		link set bond0 up
		addr add 10.0.0.$n/24 brd + dev bond0
	END
	a_while
	ip -n "$ns" link del bond0
	addressed "$n"
}

groups_often()
{
	pick_host
	often "addr add 239.1.2.9/32 dev ib0 autojoin
addr add ff15::9/128 dev ib0 autojoin
addr del 239.1.2.9/32 dev ib0
addr del ff15::9/128 dev ib0"
}

# Somebody who is not there is spoken to, and a packet to each of many groups is sent.
strangers()
{
	pick_host
	ip -n "$ns" neigh replace 10.0.0.77 dev ib0 nud permanent \
		lladdr "80:00:12:34:fe:80:00:00:00:00:00:00:02:69:62:00:00:00:77:01"
	# shellcheck disable=SC2016 # bash in the namespace expands it
	in_ns "$ns" bash -c 'for ((i = 0; i < 20; i++)); do
		echo > "/dev/udp/239.7.$i.1/9"
		echo > /dev/udp/10.0.0.77/9
	done' 2> /dev/null
	ip -n "$ns" neigh del 10.0.0.77 dev ib0
}

streams()
{
	pick_host
	in_ns "$ns" timeout 5 iperf3 -s -1 > /dev/null 2>&1 &
	pick_of "" "-u -b 50M -l 1400" "-u -b 20M -l 9000" "-P 4" "-R"
	# shellcheck disable=SC2086 # words
	in_ns "$h1" timeout 3 iperf3 -c "10.0.0.$n" -n 4M $picked
	kill $!
	wait
}

first_partition_moves()
{
	pick_host
	pick_of 0x8001 0x8002 0x7fff 0
	ib_knob "$rdma/pkeys" "0 $picked"
	a_while
	ib_knob "$rdma/pkeys" '0 0xffff'
}

partition_limited()
{
	pick_host
	ib_knob "$rdma/pkeys" '1 0x0001'
	a_while
	ib_knob "$rdma/pkeys" '1 0x8001'
}

partition_flaps()
{
	local i

	pick_host
	for i in 1 2 3 4 5 6; do
		ib_knob "$rdma/pkeys" '1 0'
		ib_knob "$rdma/pkeys" '1 0x8001'
	done
}

# It is not told to the subnet manager.
guids_change()
{
	pick_host
	ib_knob "$rdma/guids" "1 0x02696200000077$n$worker"
	a_while
	ib_knob "$rdma/guids" '1 0'
}

cable_often()
{
	local i

	pick_host
	for i in 1 2 3; do
		ib_knob "$rdma/link" 0
		a_moment
		ib_knob "$rdma/link" 1
	done
}

sm_goes()
{
	ask sm_ends
	a_while
	ask sm_begins
}

sm_reads_partitions()
{
	ask sm_reads
}

# The subnet manager is on it.
first_hca_goes()
{
	ask first_hca_ends
	a_while
	ask first_hca_begins
	back 1
}

# retrieved: hosts have the interfaces that have returned to the initial namespace
retrieved()
{
	local n name

	for n in 1 2 3; do
		name=$(port_link $n) && ip link set "$name" netns "$(host_name $n)" name ib0 &&
			addressed $n && red_child $n
	done
}

# another_hca N [PROFILE]: in place of host N's, if that is there
another_hca()
{
	echo $(($1 - 1)) > /sys/devices/ibdevsim/del_hca || return
	a_while
	echo "${2-} 1" > /sys/devices/ibdevsim/new_hca
	back "$1"
}

hca_of_another_kind()
{
	local profile

	pick_of mlx4 mlx5 mthca qib plain
	profile=$picked
	pick 2
	another_hca $((2 + picked)) "$profile"
}

hca_dies()
{
	pick 2
	n=$((2 + picked))
	ib_knob "ibdevsim$((n - 1))/dead" 1 || return
	a_while
	another_hca $n
}

# has FILE VALUE OTHER: for a while, and then the other one
has()
{
	pick_host
	ib_knob "$rdma/$1" "$2"
	a_while
	ib_knob "$rdma/$1" "$3"
}

hca_stalls()
{
	has stall 1 0
}

hca_stalls_while_down()
{
	local stalled

	pick_host
	stalled=$rdma
	ib_knob "$stalled/stall" 1
	# Of any host
	down_up_often
	ib_knob "$stalled/stall" 0
}

hca_hangs()
{
	has hang_commands Y N
}

commands_are_slow()
{
	has command_usec 100000 0
}

commands_fail()
{
	has fail_commands Y N
}

hca_says_nothing()
{
	has fail_query_port Y N
}

hca_does_not_reset()
{
	has fail_reset Y N
}

hca_is_slow()
{
	has cq_delay_usec 3000 0
}

completions_late()
{
	has cq_at_arming Y N
}

hca_is_full()
{
	local object

	pick_of pd cq qp srq ah mcast_grp
	object=$picked
	pick_host
	ib_knob "$rdma/max_$object" 1
	a_while
	ib_knob "$rdma/max_$object" 100000
}

migration_goes()
{
	has migration 0 1
}

small_port()
{
	has mtu_cap 2048 4096
}

# The next ones of each kind
verbs_fail()
{
	local verb

	pick_host
	for verb in post_send post_recv create_ah create_qp modify_qp attach_mcast send; do
		pick 6
		[ "$picked" -eq 0 ] || ib_knob "$rdma/fail_$verb" "$picked"
	done
	pick_of true down_up_often mode_often children_come_and_go
	"$picked"
}

no_receive_requests()
{
	pick_host
	ib_knob "$rdma/rnr" 20
}

queue_breaks()
{
	pick_host
	pick_of send_cq_error recv_cq_error
	ib_knob "$rdma/$picked" "$(status "$rdma" qpn)"
}

# Each one that there is
connections_break()
{
	local qpn

	pick_host
	pick_of qp_error qp_fatal send_cq_error recv_cq_error
	for qpn in $(queue_pairs_of "$n"); do
		ib_knob "$rdma/$picked" "$qpn"
	done
}

packets_garbled()
{
	fate garble 10 ud sa cm
}

wire_is_long()
{
	ib_knob wire_usec 2000
	a_while
	ib_knob wire_usec 0
}

# What the subnet administrator says, or does not; and connection managers
managers_differ()
{
	pick_of 'class=3 method=0x81 status=0x0100' 'class=3 method=0x81 attr=0x38 status=0x0200' \
		'class=3 attr=0x38 drop' 'class=3 method=0x92 dup' 'class=3 delay' 'class=3 dup' \
		'class=3 attr=0x35 drop' 'class=7 attr=0x10 dup' 'class=7 attr=0x13 delay' \
		'class=7 attr=0x14 drop' 'class=7 attr=0x15 drop' 'class=7 delay'
	ib_knob mad_rules "$picked times=40"
	a_while
	ib_knob mad_rules ''
}

look_everywhere()
{
	pick_host
	cat "$debug"/*/* "$ibdevsim/$rdma"/* "$ibdevsim"/{switch,mad_rules}
	cat /sys/module/ipoib/parameters/* \
		"/sys/class/infiniband/$rdma/ports/1/"{state,lid,sm_lid,gids/0,pkeys/*}
	rdma res show qp
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_sysfs "$ns" bash -c 'cat /proc/net/{dev,dev_mcast,igmp,igmp6,if_inet6,arp}
		cat /sys/class/net/*/* /sys/class/net/*/{statistics,queues/*}/*
		tc -s qdisc
		ip -d -s -s link show type ipoib
		for what in -S -i -g -l -k -c -T --show-priv-flags ""; do
			ethtool $what ib0
		done'
} > /dev/null 2>&1

traces()
{
	echo 1 > "$tracing/events/ipoib/enable"
	a_while
	cat "$tracing/trace" > /dev/null
	echo 0 > "$tracing/events/ipoib/enable"
}

# What may be switched off, and what comes back on by itself is in order
offloads()
{
	local feature arguments=()

	pick_host
	for feature in gro gso sg tx rx tso; do
		pick_of on off
		arguments+=("$feature" "$picked")
	done
	in_ns "$ns" ethtool -K ib0 "${arguments[@]}"
	a_while
	in_ns "$ns" ethtool -K ib0 gro on gso on sg on tx on rx on tso on
}

# The stack takes the queue of the interface away and puts it back.
queue_length()
{
	pick_host
	often "link set ib0 txqueuelen 1
link set ib0 txqueuelen 1000"
}

# Groups and addresses go with it, and are made anew.
family_goes()
{
	pick_host
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_ns "$ns" bash -c 'for i in 1 2 3; do
		echo 1 > /proc/sys/net/ipv6/conf/ib0/disable_ipv6
		echo 0 > /proc/sys/net/ipv6/conf/ib0/disable_ipv6
	done'
	addressed "$n"
}

# Routers are in more groups.
routes()
{
	local family

	pick_host
	pick_of ipv4 ipv6
	family=$picked
	in_ns "$ns" sh -c "echo 1 > /proc/sys/net/$family/conf/ib0/forwarding"
	a_while
	in_ns "$ns" sh -c "echo 0 > /proc/sys/net/$family/conf/ib0/forwarding"
}

listens_to_all()
{
	pick_host
	pick_of "" -p
	# shellcheck disable=SC2086 # words
	in_ns "$ns" timeout 0.5 tcpdump $picked -i ib0 -w /dev/null
	timeout 0.3 cat /dev/ibdevsim_tap > /dev/null
}

# By programs that send MADs of their own
fabric_is_asked()
{
	pick_of "saquery -t 500 -g" "saquery -t 500 -p" ibnetdiscover "ibroute -M -D 0,1" \
		"perfquery -x" "rdma res" "rdma link" "rdma statistic"
	# shellcheck disable=SC2086 # words
	timeout 3 $picked
}

# Queue pairs that are made anew have the same one then.
numbers_repeat()
{
	local rdma

	for rdma in "$rdma1" "$rdma2" "$rdma3"; do
		ib_knob "$rdma/next_qpn" 1193046
	done
	mode_often
	down_up_often
}

lanes_end()
{
	ib_knob sls 0xfffe
	a_while
	ib_knob sls 0xffff
}

# Groups of these names there are, or there were.
groups_are_said_to_go()
{
	local trap group

	pick_host
	for trap in 66 67; do
		for group in ffffffff 00000001 0f010201 0f010209; do
			report "$rdma1" "$n" $trap "ff12401bffff000000000000$group"
		done
	done
}

# Datagrams of nobody's making, also to groups
datagrams_of_strangers()
{
	local to from=$rdma1

	pick_host
	to=$(lladdr "$ns")
	pick_of "-l 4" "-t 0x0800 -l 64" "-t 0x86dd -l 2048" "-x 08060000" "-k 0x1234 -l 100" \
		"-t 0x0806 -l 40"
	# shellcheck disable=SC2086 # words
	ib_inject -d "$from" -a "$to" -n 20 $picked
}

# Somebody who has made no connection of these asks for some, and says that they end.
connections_are_asked_for()
{
	local i

	pick_host
	pick_of transport=rc transport=uc "transport=rc fake=1" "qpn=0x123 mtu=71" data=none
	for i in 1 2 3 4; do
		# shellcheck disable=SC2086 # words
		cmpeer open "dev=$rdma1" "to=$(lladdr "$ns")" $picked
	done
	a_while
	cmpeer forget
}

# Not what events.sh does alone: it waits for the end, or is the same more gently
events=(
	cable interface_down interface_mtu mode_changes mode_flaps child_mode_changes
	sm_reads_partitions partition_lost partition_moves child_goes lid_changes
	host_moves neighbours_forgotten groups_come_and_go
	packets_lost packets_late packets_double connections_lose connections_late
	path_breaks queue_pair_fails queue_pair_dies connection_fails send_fails
	down_up_often mtu_often mode_often mode_by_netlink flags private_flags few_connections
	rings_change connections_end_soon queueing polling interface_renamed device_renamed
	children_come_and_go children_by_files child_now_and_then child_ends_with_namespace
	host_ends host_in_passing bonded groups_often strangers streams
	first_partition_moves partition_limited partition_flaps guids_change cable_often
	sm_goes first_hca_goes hca_of_another_kind hca_dies
	hca_stalls hca_stalls_while_down hca_hangs hca_says_nothing hca_does_not_reset
	hca_is_slow completions_late hca_is_full migration_goes small_port
	verbs_fail verbs_fail no_receive_requests queue_breaks connections_break
	packets_garbled wire_is_long managers_differ look_everywhere traces module_goes
	offloads queue_length family_goes routes listens_to_all fabric_is_asked numbers_repeat
	lanes_end groups_are_said_to_go datagrams_of_strangers connections_are_asked_for
	commands_are_slow commands_fail
)
