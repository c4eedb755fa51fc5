#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: it is run with SEEDS only
#
# Workers do things at random to three hosts that talk, all at the same time, to the same
# interfaces, ports and files. None of it hangs; and when it is over, what is left of the hosts
# can be put in order, they reach each other in either mode, and all can be removed.
#
# SEED         what each worker does follows from it; how they meet, depends on the machine
# STEPS        so much, each (12)
# WORKERS      which, of any number ("1 2 3")
# ONLY=a,b     and WITHOUT=a,b: of what they would do, those events of lib/chaos.sh, or all others

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/events.sh
. "$here/lib/events.sh"
# shellcheck source=lib/chaos.sh
. "$here/lib/chaos.sh"
# shellcheck source=lib/talk.sh
. "$here/lib/talk.sh"

expected='cannot start the link|no QP for channel|no connections: |no IPoIB|QP did not give its packets back'
expected+="|$watchdog_says"
# Reports that were altered are answered as they are.
expected_of_sm='ERR 1A0'
read -ra workers <<< "${WORKERS:-1 2 3}"
: "${SEED:=1}" "${STEPS:=12}"
# shellcheck disable=SC2034 # for the library
longest=6 patient=2

# happens EVENT: it is the last thing that is said of a worker that hangs
happens()
{
	echo "$EPOCHSECONDS $1" > "$begun$worker"
	note "${EPOCHREALTIME:6:-3} worker $worker, step $step: $1" >&"$out"
	"$1"
}

# wanted EVENT
wanted()
{
	[[ ,${ONLY:-$1}, == *",$1,"* ]] && [[ ,${WITHOUT-}, != *",$1,"* ]]
}

# work: what the worker does. An event draws from numbers of its own, so that what follows does
# not depend on what it met; and has files of its own, and little patience, for what it waits for
# may be what another one has taken away.
work()
{
	local step event seed

	tmp=$tmp/$worker patience=2000 minute=3
	mkdir "$tmp"
	RANDOM=$((SEED * 16 + worker))
	for ((step = 1; step <= STEPS; step++)); do
		pick ${#events[@]}
		event=${events[picked]} seed=$RANDOM
		wanted "$event" || continue
		( RANDOM=$seed; happens "$event" ) >> "$tmp/log" 2>&1 ||
			echo "$event: status $?" >> "$tmp/log"
	done
	rm "$begun$worker"
	ask over
}

sm_ends()
{
	[ -z "${sm_pid[sm1]-}" ] || kill_sm sm1
}

# There is one at most, on the first HCA.
sm_begins()
{
	[ -n "${sm_pid[sm1]-}" ] || [ ! -e /sys/class/infiniband/ibdevsim0 ] ||
		start_sm sm1 -g "$(port_guid ibdevsim0)"
}

sm_reads()
{
	[ -z "${sm_pid[sm1]-}" ] || reload_sm sm1
}

first_hca_ends()
{
	sm_ends
	[ ! -e "$ibdevsim/ibdevsim0" ] || echo 0 > /sys/devices/ibdevsim/del_hca
}

first_hca_begins()
{
	[ -e "$ibdevsim/ibdevsim0" ] || echo 1 > /sys/devices/ibdevsim/new_hca
	sm_begins
}

# stuck: some worker has been at the same event for longer than any may take; 0 is the test itself,
# which does what workers ask for
stuck()
{
	local w since event task

	for w in 0 "${workers[@]}"; do
		# It may be writing that, or be done.
		{ read -r since event < "$begun$w"; } 2> /dev/null || continue
		[ $((EPOCHSECONDS - since)) -gt "$minute" ] || continue
		note "worker $w hangs: $event" >&"$out"
		for task in /proc/[0-9]*; do
			grep -qs '^State:.D' "$task/status" || continue
			note "$task" "$(tr '\0' ' ' < "$task/cmdline")" \
				"$(cat "$task"/{wchan,stack})"
		done 2> /dev/null 1>&"$out"
		return 0
	done
	return 1
}

# watched: by somebody who does nothing else, and so says it also if the test hangs
watched()
{
	until stuck; do
		read -rt 1 -u "$silence"
	done
	: > "$tmp/stuck"
}

# run_chaos: until all workers have done what they were to do
run_chaos()
{
	local left=${#workers[@]} word='' rest jobs=()

	mkfifo "$tmp/requests"
	exec {requests}<> "$tmp/requests"
	begun=$tmp/begun
	for worker in "${workers[@]}"; do
		echo "$EPOCHSECONDS nothing" > "$begun$worker"
		work &
		jobs+=($!)
		defer end_job $!
	done
	watched &
	defer end_job $!
	while [ "$left" -gt 0 ]; do
		# When its time is over it has read a part of the word, perhaps.
		read -rt 1 -u "$requests" rest || {
			word+=$rest
			[ ! -e "$tmp/stuck" ] || return
			continue
		}
		word+=$rest
		case $word in
		over) left=$((left - 1)) ;;
		*)
			echo "$EPOCHSECONDS $word" > "${begun}0"
			"$word"
			rm "${begun}0"
			;;
		esac
		word=
	done
	wait "${jobs[@]}"
}

# restored: the fabric is as it was, but for a subnet manager that knows nothing of before
restored()
{
	local n hca
	local knobs=(link=1 stall=0 hang_commands=N fail_commands=N
		command_usec=0 fail_query_port=N fail_reset=N
		cq_delay_usec=0 cq_at_arming=N migration=1 mtu_cap=4096 rnr=0)

	for n in "$ibdevsim"/{*_ppm,drop_*_dlid,wire_usec}; do
		echo 0 > "$n"
	done
	ib_knob mad_rules ''
	ib_knob sls 0xffff
	cmpeer forget
	sm_ends
	for n in 1 2 3; do
		hca=ibdevsim$((n - 1))
		[ ! -e "/sys/class/infiniband/renamed$hca" ] ||
			rdma dev set "renamed$hca" name "$hca" || return
		[ -e "$ibdevsim/$hca" ] || echo 1 > /sys/devices/ibdevsim/new_hca || return
		for knob in "${knobs[@]}" fail_{post_{send,recv},create_{ah,qp},modify_qp}=0 \
			fail_{attach_mcast,send}=0 max_{pd,cq,qp,srq,ah,mcast_grp}=100000; do
			ib_knob "$hca/${knob%=*}" "${knob#*=}" || return
		done
		ib_knob "$hca/pkeys" '0 0xffff'
	done
	[ -d /sys/module/ipoib ] || load_ipoib || return
	start_sm sm1 -g "$(port_guid ibdevsim0)"
	eventually subnet_is_up sm1 && eventually ports_are ACTIVE
}

# found N: sets name and from, where that is
found()
{
	for from in "-n $ns" "-n $spare" ""; do
		# shellcheck disable=SC2086 # words
		name=$(port_link "$1" $from) && return
	done
	return 1
}

# no_children [-n NS]: of any port, one of which may have the name that another interface is to get
no_children()
{
	local name

	for name in $(ip "$@" -o link show type ipoib |
		sed -n 's/^[^:]*: \([^@:]*\)@.*/\1/p'); do
		ip "$@" link del "$name" || return
	done
}

# settled N: host N has the interface of its port, wherever that was, and a child, as if nothing
# had ever been done to them
settled()
{
	local n=$1 ns=h$1 from name

	ns=${!ns}
	[ -e "/run/netns/$ns" ] || netns "$ns" || return
	no_children -n "$ns" || return
	eventually found "$n" || { ip -all netns exec ip -o link; ip -o link; return 1; }
	# shellcheck disable=SC2086 # words
	[ "$from $name" = "-n $ns ib0" ] ||
		ip $from link set "$name" netns "$ns" name ib0 || return
	ip -n "$ns" -force -batch - > /dev/null 2>&1 <<-END
		link del bond0
		link set ib0 nomaster
		link set ib0 txqueuelen 1000
		link set ib0 promisc off
		link set ib0 allmulticast off
		addr flush dev ib0
		neigh flush dev ib0
	END
	in_ns "$ns" tc qdisc del dev ib0 root 2> /dev/null
	in_ns "$ns" ethtool -K ib0 gro on gso on sg on tx on rx on tso on > /dev/null 2>&1
	in_ns "$ns" sh -c 'echo 0 > /proc/sys/net/ipv6/conf/ib0/disable_ipv6'
	in_ns "$ns" ethtool --set-priv-flags ib0 multicast-to-broadcast off sl-of-broadcast off \
		rc on uc on opener-sends off link-checksums off &&
		in_ns "$ns" ethtool -L ib0 other 64
	mode datagram "$n" && mtu_is_largest && addresses "$n" && red_child "$n"
}

# all_settled: children that came back from a namespace that has ended are nobody's
all_settled()
{
	no_children && settled 1 && settled 2 && settled 3
}

# each_reaches_each COMMAND...: NS ADDRESS come behind it
each_reaches_each()
{
	local n m

	for n in 1 2 3; do
		for m in 1 2 3; do
			[ $n = $m ] || eventually "$1" "$(host_name $n)" "$subnet$m" "${@:2}" || {
				echo "host $n does not reach $subnet$m"
				return 1
			}
		done
	done
}

# all_reached [OPTION...]: of both families, and large ones
all_reached()
{
	local subnet

	for subnet in 10.0.0. fd00::; do
		each_reaches_each ping_all -w 2 && each_reaches_each ping_each -w 2 -s 60000 || return
	done
}

children_reached()
{
	local subnet=10.1.0.

	each_reaches_each ping_all -w 2
}

by_connections()
{
	local n

	for n in 1 2 3; do
		eventually by_connection $n 60000 ping_each "$(host_name $n)" \
			"10.0.0.$((n % 3 + 1))" -w 2 -s 60000 || return
	done
}

# can_go: all that there is, with somebody who is still using it
can_go()
{
	within 60 bash -c 'echo 2 > /sys/devices/ibdevsim/del_hca && rmmod ipoib &&
		echo 1 > /sys/devices/ibdevsim/del_hca'
}

plan 8
exec {out}>&1
note "SEED=$SEED STEPS=$STEPS WORKERS='${workers[*]}' ONLY=${ONLY-} WITHOUT=${WITHOUT-}"
partitions+=$red$'\nblue=0x0002, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'
setup modules bonding
defer rmmod bonding
ib_hosts 3
spare=ipoib-$id-4
setup netns "$spare"
for worker in "${workers[@]}"; do
	defer del_netns "$(in_passing "$worker")"
done
for n in 1 2 3; do
	setup red_child $n
done
setup connected "rc uc" 1 2
setup ib_knob seed "$SEED"
setup load_sim ibdevsim_loop
setup cm_peers
talk
keep_on retrieve retrieved
must "nothing hangs" run_chaos
be_silent
must "the fabric is restored" restored
must "what is left of the hosts is put in order" all_settled
check "all reach all" all_reached
check "and so do children" children_reached
setup connected "rc uc" 1 2 3
check "all reach all in connected mode" all_reached
check "with connections" by_connections
check "all can be removed" can_go
