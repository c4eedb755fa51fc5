# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What happens to three hosts while they talk, for soak.sh and chaos.sh; the list is at the
# end. What an event takes away it gives back.
#
# shellcheck disable=SC2034,SC2154 # soak.sh, hosts.sh and ../lib.sh have the variables

# Tenths of a second
longest=20

# pick N: sets picked to one of 0 ... N - 1
pick()
{
	picked=$((RANDOM % $1))
}

# pick_host: sets n, ns and rdma
pick_host()
{
	local name

	n=$((1 + RANDOM % 3))
	name=h$n ns=${!name} name=rdma$n rdma=${!name}
}

# a_while: less than the longest, so that what happens next meets what is going on
a_while()
{
	pick "$longest"
	read -rt "$((picked / 10)).$((picked % 10))" -u "$silence" || :
}

# meet EVENT...: one of them happens now
meet()
{
	pick $#
	shift "$picked"
	happens "$1"
	a_while
}

# red_child N: host N has an interface in another partition
red_child()
{
	child "$1" 0x8001 red && child_addresses "$1" red
}

cable()
{
	pick_host
	ib_knob "$rdma/link" 0
	a_while
	ib_knob "$rdma/link" 1
}

interface_down()
{
	pick_host
	ip -n "$ns" link set ib0 down
	a_while
	ip -n "$ns" link set ib0 up
	ip -n "$ns" addr add "fd00::$n/64" dev ib0
}

# mtu_is_largest: of $ns. With that it follows the link again, and the mode
mtu_is_largest()
{
	ip -n "$ns" link set ib0 mtu "$(largest_mtu "$ns")"
}

interface_mtu()
{
	pick_host
	ip -n "$ns" link set ib0 mtu 1500
	a_while
	mtu_is_largest
}

# takes KINDS N: host N takes connections of these; without any, datagrams only
takes()
{
	if [ -n "$1" ]; then
		offer "$1" "$2" && mode connected "$2"
	else
		mode datagram "$2"
	fi
}

mode_changes()
{
	local kinds=("" rc uc "rc uc")

	pick_host
	pick ${#kinds[@]}
	takes "${kinds[picked]}" "$n"
}

# All connections of a host begin anew.
mode_flaps()
{
	pick_host
	takes "" "$n"
	a_while
	takes "rc uc" "$n"
}

child_mode_changes()
{
	local modes=(datagram connected)

	pick_host
	pick ${#modes[@]}
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	in_sysfs "$ns" sh -c 'echo "$0" > /sys/class/net/red/mode' "${modes[picked]}"
}

# With two peers, one of them is always in the way of the other.
one_connection()
{
	pick_host
	in_ns "$ns" ethtool -L ib0 other 1
	a_while
	in_ns "$ns" ethtool -L ib0 other 64
}

sm_restarts()
{
	kill_sm sm1 || return
	meet "${anytime[@]}"
	start_sm sm1
}

sm_reads_partitions()
{
	reload_sm sm1
}

partition_lost()
{
	pick_host
	ib_knob "$rdma/pkeys" '1 0'
	a_while
	ib_knob "$rdma/pkeys" '1 0x8001'
}

partition_moves()
{
	pick_host
	ib_knob "$rdma/pkeys" '7 0x8001'
	ib_knob "$rdma/pkeys" '1 0'
	a_while
	ib_knob "$rdma/pkeys" '1 0x8001'
	ib_knob "$rdma/pkeys" '7 0'
}

child_goes()
{
	pick_host
	ip -n "$ns" link del red
	a_while
	red_child "$n"
}

lid_changes()
{
	pick_host
	pick 100
	[ "$n" = 1 ] || ib_knob "$rdma/lid" $((100 + picked))
}

host_moves()
{
	ip -n "$h3" link set ib0 netns "$spare"
	a_while
	ip -n "$spare" link set ib0 netns "$h3"
	addresses 3
}

# back N: host N has the interface that appeared for its port, and a child, and takes
# connections, unless it is the third one
back()
{
	local rdma=rdma$1

	eventually interface_of "${!rdma}" && take_interface "$1" && red_child "$1" &&
		{ [ "$1" = 3 ] || takes "rc uc" "$1"; }
}

# Not the first one, for a subnet manager is on it.
hca_goes()
{
	echo 1 > /sys/devices/ibdevsim/del_hca
	a_while
	echo 1 > /sys/devices/ibdevsim/new_hca
	back 2
}

# It does not while somebody reads a file of it in debugfs.
module_goes()
{
	eventually rmmod ipoib
	a_while
	load_ipoib
	for n in 1 2 3; do
		back $n
	done
}

neighbours_forgotten()
{
	pick_host
	forget_neighbours "$ns" all
}

groups_come_and_go()
{
	local i

	pick_host
	for i in 1 2 3 4 5; do
		ip -n "$ns" addr add "239.1.2.$i/32" dev ib0 autojoin
	done
	a_while
	for i in 1 2 3 4 5; do
		ip -n "$ns" addr del "239.1.2.$i/32" dev ib0
	done
}

# fate WHAT PERCENT CLASS...: of so many packets of these classes, while something
# happens
fate()
{
	local class

	for class in "${@:3}"; do
		ib_knob "$1_${class}_ppm" $(($2 * 10000))
	done
	meet "${anytime[@]}"
	for class in "${@:3}"; do
		ib_knob "$1_${class}_ppm" 0
	done
}

packets_lost()
{
	fate drop 5 ud sa cm
}

connections_lose()
{
	fate drop 1 rc uc
}

packets_late()
{
	fate delay 10 ud sa
}

connections_late()
{
	fate delay 10 rc uc cm
}

packets_double()
{
	fate dup 10 ud sa rc uc cm
}

path_breaks()
{
	pick_host
	break_path "$n"
	a_while
	mend_path
}

queue_pair_fails()
{
	pick_host
	ib_knob "$rdma/qp_error" "$(status "$rdma" qpn)"
}

failed_connections=0

# queue_pairs_of N: the numbers of those of its connections. One that has none yet says 0, and
# that would be the port's own, for the subnet manager
queue_pairs_of()
{
	connections "$1" | sed -n '/ qpn=0x000000 /! s/.* qpn=\([^ ]*\) .*/\1/p'
}

# That of a connection, if there is one and it has not gone by now
connection_fails()
{
	local qpn

	pick_host
	qpn=$(queue_pairs_of "$n" | head -n 1)
	if [ -n "$qpn" ] && ib_knob "$rdma/qp_error" "$qpn" 2> /dev/null; then
		failed_connections=$((failed_connections + 1))
	fi
}

queue_pair_dies()
{
	pick_host
	ib_knob "$rdma/qp_fatal" "$(status "$rdma" qpn)"
}

send_fails()
{
	pick_host
	ib_knob "$rdma/fail_send" 10
}

verb_fails()
{
	local verbs=(fail_post_send fail_post_recv fail_create_ah)

	pick_host
	pick ${#verbs[@]}
	ib_knob "$rdma/${verbs[picked]}" 3
}

# What lets allocations fail, of slabs and of pages; not all kernels have it
refusing=()
refused=0

# refuse FILE VALUE: to both of them
refuse()
{
	local dir

	for dir in "${refusing[@]}"; do
		[ ! -e "$dir/$1" ] || echo "$2" > "$dir/$1"
	done
}

# Memory from vmalloc() does not fail: the kernel itself would complain of that, and
# the test fail.
prepare_refusals()
{
	local dir vmalloc

	for dir in /sys/kernel/debug/fail{slab,_page_alloc}; do
		[ ! -d "$dir" ] || refusing+=("$dir")
	done
	mapfile -t vmalloc < <(sed -n '/ __vmalloc_node_range$/ { N; s/ [^\n]*//g; p }' \
		/proc/kallsyms)
	refuse reject-start "0x${vmalloc[0]}"
	refuse reject-end "0x${vmalloc[1]}"
	refuse stacktrace-depth 32
	refuse verbose 0
	refuse ignore-gfp-wait N
	refuse min-order 0
	defer refuse probability 0
}

# were_refused: some of both kinds, of 200 each that are to be
were_refused()
{
	local dir

	for dir in "${refusing[@]}"; do
		[ "$(< "$dir/times")" -lt 200 ] || return
	done
}

# One in ten allocations fails that the module makes, or that are made while it is on
# the stack, as for an answer to a packet that it hands up.
memory_is_short()
{
	local start dir

	start=$(< /sys/module/ipoib/sections/.text)
	refuse require-start "$start"
	refuse require-end "$(printf '%#x' $((start + $(< /sys/module/ipoib/coresize))))"
	refuse times 200
	refuse probability 10
	meet "${blind[@]}"
	eventually were_refused
	refuse probability 0
	for dir in "${refusing[@]}"; do
		refused=$((refused + 200 - $(< "$dir/times")))
	done
}

# What goes well also while there is no memory: files of the driver cannot be read then
blind=(
	cable partition_lost partition_moves lid_changes
	neighbours_forgotten groups_come_and_go path_breaks
	send_fails verb_fails
)
# What goes well while there is no subnet manager, or half of the packets are lost
anytime=("${blind[@]}" queue_pair_fails queue_pair_dies connection_fails)
events=(
	cable cable interface_down interface_mtu
	mode_changes mode_changes mode_changes mode_flaps child_mode_changes
	one_connection
	sm_restarts sm_reads_partitions
	partition_lost partition_moves child_goes lid_changes
	host_moves hca_goes module_goes
	neighbours_forgotten groups_come_and_go
	packets_lost packets_late packets_double connections_lose connections_late
	path_breaks
	queue_pair_fails queue_pair_dies connection_fails send_fails verb_fails
	memory_is_short
)
