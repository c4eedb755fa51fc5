# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# InfiniBand: HCAs and a switch inside the kernel, subnet managers, and hosts.
#
#	 init_net                           netns $h1, $h2, $h3
#	 ibdevsim0 --- switch --- ibdevsim1       ib0 on each of them,
#	 $rdma1, sm1              $rdma2          10.0.0.N/24, fd00::N/64
#
# IBDEVSIM_KO  directory of ibdevsim.ko; without it that beside IPOIB_KO, and
#              without either modprobe finds the module
#
# shellcheck disable=SC2034,SC2154 # for the tests; from hosts.sh and ../lib.sh

# For the subnet managers that are started or reload from here on; $red is to be
# added to them.
partitions='Default=0x7fff, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'
red=$'\nred=0x0001, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'
# Likewise; each port has 2^$lmc LIDs, and asks the subnet administrator with service
# level $sm_sl. A new one has clients register anew, unless $no_clients_rereg is TRUE.
lmc=0 sm_sl=0 subnet_prefix=0xfe80000000000000 no_clients_rereg=FALSE
ibdevsim=/sys/kernel/debug/ibdevsim
declare -A sm_pid

# sim_ko MODULE: where it is
sim_ko()
{
	local dir=${IBDEVSIM_KO-}

	[ -n "$dir" ] || [ -z "${IPOIB_KO-}" ] ||
		dir=${IPOIB_KO%/*}/../../sw/ibdevsim
	if [ -n "$dir" ]; then
		echo "$dir/$1.ko"
	else
		modinfo -n "$1"
	fi
}

# load_sim MODULE [OPTION...]
load_sim()
{
	load_file "$(sim_ko "$1")" "${@:2}" || return
	defer rmmod "$1"
}

# bare_fabric N [OPTION...]: N HCAs that nobody manages
bare_fabric()
{
	modules ib_umad ib_cm || return
	load_sim ibdevsim hcas="$1" ${IBDEVSIM_PROFILE:+profile="$IBDEVSIM_PROFILE"} \
		"${@:2}" || return
	defer kill_sms
	rdma1=ibdevsim0 rdma2=ibdevsim1 rdma3=ibdevsim2
}

# ib_fabric N [OPTION...]: and a subnet manager, and all ports are active
ib_fabric()
{
	setup bare_fabric "$@"
	setup start_sm sm1
	setup eventually subnet_is_up sm1
	setup eventually ports_are ACTIVE
}

# made_without_io: whatever was made on the HCAs, so that its memory waits for no disk
made_without_io()
{
	head "$ibdevsim"/ibdevsim*/with_io
	[ "$(cat "$ibdevsim"/ibdevsim*/with_io | sort -u)" = 0 ]
}

# start_sm NAME [OPTION...]: a subnet manager; it may have run before
start_sm()
{
	local dir=$tmp/$1

	[ -d "$dir" ] || mkdir "$dir"
	[ ! -e "$dir/log" ] || cat "$dir/log" >> "$dir/before"
	: > "$dir/log"
	printf '%s\n' 'force_log_flush TRUE' 'sminfo_polling_timeout 1000' \
		"lmc $lmc" "sm_sl $sm_sl" "subnet_prefix $subnet_prefix" \
		"no_clients_rereg $no_clients_rereg" > "$dir/conf"
	printf '%s\n' "$partitions" > "$dir/partitions"
	OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir opensm -F "$dir/conf" \
		-P "$dir/partitions" -f "$dir/log" "${@:2}" \
		> "$dir/out" 2>&1 < /dev/null &
	sm_pid[$1]=$!
}

# reload_sm NAME: it looks at $partitions again
reload_sm()
{
	printf '%s\n' "$partitions" > "$tmp/$1/partitions"
	kill -HUP "${sm_pid[$1]}"
}

# kill_sm NAME: it has no time to say good-bye
kill_sm()
{
	kill -KILL "${sm_pid[$1]}" || return
	wait "${sm_pid[$1]}" 2> /dev/null
	unset "sm_pid[$1]"
}

# sms_live: all that were not killed. Without one nothing would happen that a test may say
# does not
sms_live()
{
	local name

	for name in "${!sm_pid[@]}"; do
		kill -0 "${sm_pid[$name]}" 2> /dev/null && continue
		echo "the subnet manager $name has ended:"
		tail -n 20 "$tmp/$name/out"
		return 1
	done
}

# leave_groups NS: while there is somebody to tell; children's, too. The first host begins to
# count: what another one asked before would only be counted when it is answered.
leave_groups()
{
	[ -n "${leaving-}" ] || count_leaves
	leaving=yes
	ip -n "$1" link set group default down
}

# end_interfaces: those that are up where the tests are, whatever they are named; what a test does
# at random may have set some up
end_interfaces()
{
	local it

	for it in /sys/class/net/*; do
		[ "$(< "$it/type")" = 32 ] || continue
		(( $(< "$it/flags") & 1 )) || continue
		ip link set dev "${it##*/}" down
	done
}

# groups_left: no request of the driver is under way, nor one of the RDMA core
groups_left()
{
	# In a trap a bare return gives what was before the trap.
	[ ! -e "$objects" ] || nothing_of request || return 1
	leaves_answered
}

# guids_in_sa: of ports that $tmp/in_sa names
guids_in_sa()
{
	sed -nE 's/.*(PortGid|SubscriberGID)\.+//p' "$tmp/in_sa" |
		perl -MSocket=inet_pton,AF_INET6 -lne 'print unpack "x8 H16", inet_pton AF_INET6, $_'
}

# excused_guids: of ports whose P_Keys have changed. Until the RDMA core has noticed, it leaves
# groups with one that is not there any more, and does not try again.
excused_guids()
{
	local it

	for it in "$tmp"/pkeys_of.*; do
		cat "/sys/class/infiniband/${it##*.}"/ports/1/gids/* 2> /dev/null
	done | cut -d : -f 5- | tr -d :
}

# nothing_in_sa: no membership of a port, and no subscription, but of those that are excused; nor
# can there be any if nobody answers
nothing_in_sa()
{
	{ within 20 saquery -t 1000 --smkey 1 -m && within 20 saquery -t 1000 --smkey 1 -I; } \
		> "$tmp/in_sa" 2>&1 || return 0
	! guids_in_sa | grep -qvxFf <(excused_guids) || { cat "$tmp/in_sa"; return 1; }
}

# kill_sms: when nobody needs them any more. If one still has something then, $in_sa says so.
kill_sms()
{
	local name

	if [ ${#sm_pid[@]} -gt 0 ]; then
		end_interfaces
		busywait 15000 groups_left
		in_sa=$(busywait 15000 nothing_in_sa)
	fi
	for name in "${!sm_pid[@]}"; do
		kill_sm "$name"
	done
}

subnet_is_up()
{
	local log

	log=$(< "$tmp/$1/log")
	echo "$log"
	[[ $log == *"SUBNET UP"* ]]
}

# ports_are STATE [RDMADEV...]: of all, or of these
ports_are()
{
	local state=$1 d is

	shift
	[ $# -gt 0 ] || set -- "$ibdevsim"/ibdevsim*
	for d; do
		is=$(< "/sys/class/infiniband/${d##*/}/ports/1/state")
		echo "$d: $is"
		[ "${is#*: }" = "$state" ] || return
	done
}

# port_guid RDMADEV: as opensm -g and partitions have it
port_guid()
{
	echo "0x$(cut -d : -f 5- "/sys/class/infiniband/$1/ports/1/gids/0" |
		tr -d :)"
}

# ib_knob FILE VALUE: see Documentation/infiniband/ibdevsim.rst
ib_knob()
{
	[[ $1 != */pkeys ]] || : > "$tmp/pkeys_of.${1%/pkeys}"
	echo "$2" > "$ibdevsim/$1"
}

# interface_of RDMADEV: the name of the interface that appeared for its port
interface_of()
{
	local key name

	set -- "$debug/$1.1."*/status
	read -r key name < "$1" && [ "$key" = interface: ] && echo "$name"
}

# take_interface N...: that of port N becomes ib0 of host N
take_interface()
{
	local n ns rdma name

	for n; do
		ns=h$n rdma=rdma$n
		name=$(interface_of "${!rdma}") || return
		echo "link set $name netns ${!ns} name ib0"
		defer leave_groups "${!ns}"
	done > "$tmp/interfaces"
	ip -batch "$tmp/interfaces" || return
	for n; do
		addresses "$n" || return
	done
}

# ib_hosts N [OPTION...]: a fabric with N HCAs, and a host on each
ib_hosts()
{
	local n ns rdma hosts=() ports=()

	ib_fabric "$@"
	for ((n = 1; n <= $1; n++)); do
		rdma=rdma$n
		hosts+=("$n")
		ports+=("${!rdma}")
	done
	setup host "${hosts[@]}"
	for n in "${hosts[@]}"; do
		ns=h$n
		setup eventually is_up "${!ns}"
	done
	[ "$1" -eq 1 ] || pkey=ffff setup eventually forwards_broadcast "${ports[@]}"
}

# forwards MGID RDMADEV...: the switch sends packets to the group there. The SM
# answers a join first and tells the switch then
forwards()
{
	local mgid mlid row rest mask d

	while read -r mgid rest; do
		[ "$mgid" != "$1" ] || mlid=${rest##* mlid=}
	done < "$debug/$2.1.${pkey:-ffff}/groups"
	mlid=${mlid%% *}
	# The switch is what the first port of the first HCA is wired to. An x for
	# each port that it sends to, that of ibdevsim0 in column 14.
	while IFS= read -r row; do
		echo "$row"
		[[ $row != "${mlid:-none} "* ]] || mask=$row
	done < <(ibroute -M -D 0,1)
	for d in "${@:2}"; do
		[ "${mask:14 + 2 * ${d#ibdevsim}:1}" = x ] || return
	done
}

# forwards_broadcast RDMADEV...: in the partition $pkey, from the first to all
forwards_broadcast()
{
	forwards "$(status "$1" broadcast)" "$@"
}

# child N PKEY [NAME]: an interface of host N in another partition, with $queues
child()
{
	local ns=h$1

	# shellcheck disable=SC2086 # two words, or none
	ip -n "${!ns}" link add link ib0 name "${3:-ib0.${2#0x}}" \
		${queues:+numtxqueues $queues} type ipoib pkey "$2"
}

# child_addresses N NAME: as those of host N, but in a subnet of their own
child_addresses()
{
	local ns=h$1

	ip -n "${!ns}" -batch - <<-END
		link set $2 up
		addr add 10.1.0.$1/24 brd + dev $2
		addr add fd01::$1/64 dev $2
	END
}

# two_children: of the P_Key 0x8001, up, on a host each, that may have $queues queues
two_children()
{
	partitions+=$red
	ib_hosts 2
	setup child 1 0x8001 red
	setup child 2 0x8001 red
	setup child_addresses 1 red
	setup child_addresses 2 red
	setup eventually is_up "$h1" red
	setup eventually is_up "$h2" red
}

# siblings N: so many children of that P_Key on host 2, each of which answers for its own address
siblings()
{
	local i

	in_ns "$h2" sysctl -q net.ipv4.conf.{all,default}.arp_ignore=1 || return
	for ((i = 1; i <= $1; i++)); do
		ip -n "$h2" link add link ib0 name p$i type ipoib pkey 0x8001 &&
			ip -n "$h2" addr add 10.1.0.$((100 + i))/24 dev p$i &&
			ip -n "$h2" link set p$i up || return
	done
}

# siblings_answer N [OPTION...]: each of them answers host 1
siblings_answer()
{
	local i

	for ((i = 1; i <= $1; i++)); do
		in_ns "$h1" ping -q -c 1 -W "$minute" "${@:2}" 10.1.0.$((100 + i)) || return
	done
}

# gid RDMADEV: as the kernel prints it
gid()
{
	status "$1" gid
}

# sa_has MGID: the subnet manager knows the group
sa_has()
{
	saquery -t 5000 -g > "$tmp/sa" && [ -s "$tmp/sa" ] || return
	grep "MGID.*\.$1\$" "$tmp/sa" || { grep MGID "$tmp/sa"; return 1; }
}

# sa_lacks MGID: it answers, and does not know the group
sa_lacks()
{
	saquery -t 5000 -g > "$tmp/sa" && [ -s "$tmp/sa" ] &&
		! grep "MGID.*\.$1\$" "$tmp/sa"
}

# sa_members: MGID, GID of the port, and scope and state of each membership;
# the SM_Key is the one that OpenSM trusts
sa_members()
{
	saquery -t 5000 --smkey 1 -m |
		sed -n 's/^.*\(MGID\|PortGid\|ScopeState\)\.*//p' |
		paste - - - | sort
}

# sent METHOD ATTRIBUTE OFFSET GID: so many MADs of the class have the GID there
sent()
{
	dd bs=64k iflag=nonblock <&"$tap_fd" >> "$tmp/seen" 2> "$tmp/dd.log"
	perl -0777 -ne 'BEGIN { ($m, $a, $o, $g) = splice @ARGV, 0, 4; $g = pack "H*", $g;
				$m = pack "H*", $m; $a = pack "H*", $a; $o += 38 }
		print scalar(() =
			/\x01\x03\x02\Q$m\E.{12}\Q$a\E.{$o}\Q$g\E/gs)' \
		"$@" "$tmp/seen"
}

# tap_decode FILTER FIELD...: a line per packet, tabs between; of fields that
# occur twice the outer one
tap_decode()
{
	local field fields=()

	for field in "${@:2}"; do
		fields+=(-e "$field")
	done
	# Wireshark does not know the number of this link type.
	{ head -c 20; head -c 4 > /dev/null; printf '\223\0\0\0'; cat; } \
		< "$tmp/tap" > "$tmp/tap.pcap"
	tshark -r "$tmp/tap.pcap" -o \
		'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""' \
		-o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-Y "$1" -T fields -E occurrence=f "${fields[@]}" 2> /dev/null
}
