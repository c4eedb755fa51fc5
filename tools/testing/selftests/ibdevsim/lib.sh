# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests in this directory share. A test reads
#
#	. "$(dirname "$0")/lib.sh"
#	plan 1
#	fabric 2
#	check "two HCAs are found" hcas_are 2
#
# and ends, however it ends, with the fabric unloaded and one more result: the
# kernel log is clean.
#
# IBDEVSIM_KO     directory of ibdevsim.ko and ibdevsim_loop.ko; without it modprobe
#                 finds them
# IPOIB_PATIENCE, IPOIB_FAIL_FAST  see ktap.sh of ipoib

both=${BASH_SOURCE[0]%/*}/../ipoib/lib
# shellcheck source=../ipoib/lib/ktap.sh
. "$both/ktap.sh"
# shellcheck source=../ipoib/lib/complaints.sh
. "$both/complaints.sh"
# shellcheck source=../ipoib/lib/kernel_log.sh
. "$both/kernel_log.sh"
# shellcheck source=../ipoib/lib/leaves.sh
. "$both/leaves.sh"
# shellcheck source=../ipoib/lib/mapped.sh
. "$both/mapped.sh"
debugfs=/sys/kernel/debug/ibdevsim
# shellcheck disable=SC2034	# used by tests
loop=/sys/kernel/debug/ibdevsim_loop/run
sms=()
# For the subnet managers that are started from here on.
partitions='Default=0x7fff, ipoib, mtu=5, rate=7 : ALL=full, SELF=full;'

# plan N: the test is going to report N results of its own
plan()
{
	local tool

	[ $EUID -eq 0 ] || skip_all "not root"
	for tool in opensm ibstat ibnetdiscover saquery; do
		command -v $tool > /dev/null || skip_all "no $tool"
	done
	plan_is $(($1 + 1))
	workspace
	export OSM_TMP_DIR=$tmp OSM_CACHE_DIR=$tmp
	log_begins "ibdevsim selftest ${0##*/} $$"
	count_mapped
	trap finish EXIT
}

load()
{
	local depends

	if [ -n "${IBDEVSIM_KO-}" ]; then
		depends=$(modinfo -F depends "$IBDEVSIM_KO/$1.ko") || return
		# shellcheck disable=SC2086	# words
		[ -z "$depends" ] || modprobe -a ${depends//,/ } || return
		insmod "$IBDEVSIM_KO/$1.ko" "${@:2}"
	else
		modprobe "$1" "${@:2}"
	fi
}

# fabric N [OPTION...]: N HCAs and a subnet manager, all ports active
fabric()
{
	setup bare_fabric "$1"
	setup start_sm sm1 "${@:2}"
	setup eventually subnet_is_up sm1
	setup eventually all_active
}

bare_fabric()
{
	modprobe -a ib_umad ib_cm && load ibdevsim hcas="$1"
}

# start_sm NAME OPTION...: another subnet manager
start_sm()
{
	local name=$1

	mkdir -p "$tmp/$name"
	[ ! -e "$tmp/$name/log" ] || cat "$tmp/$name/log" >> "$tmp/$name/before"
	rm -f "$tmp/$name/log"
	printf '%s\n' 'force_log_flush TRUE' 'sminfo_polling_timeout 1000' \
		> "$tmp/$name/conf"
	echo "$partitions" > "$tmp/$name/partitions"
	OSM_TMP_DIR=$tmp/$name OSM_CACHE_DIR=$tmp/$name opensm -F "$tmp/$name/conf" \
		-P "$tmp/$name/partitions" -f "$tmp/$name/log" "${@:2}" \
		> "$tmp/$name/out" 2>&1 < /dev/null &
	sm_pid=$!
	sms+=("$sm_pid")
}

# kill_sm PID: one that was started; others have to be there in the end
kill_sm()
{
	local i

	kill -KILL "$1" || return
	wait "$1" 2> /dev/null
	for i in "${!sms[@]}"; do
		[ "${sms[i]}" != "$1" ] || unset "sms[i]"
	done
}

# sms_live: all that were not killed
sms_live()
{
	local pid

	for pid in "${sms[@]}"; do
		kill -0 "$pid" || { echo "# process $pid has ended"; return 1; }
	done
}

# pause_sm: the last one that was started does nothing, until kill -CONT. It sweeps at
# any time, and puts P_Keys and LIDs right
pause_sm()
{
	kill -STOP "$sm_pid" && eventually sm_is_paused
}

# Each of its threads
sm_is_paused()
{
	! grep -L '^State:.T' /proc/"$sm_pid"/task/*/status | grep .
}

subnet_is_up()
{
	local log

	log=$(< "$tmp/$1/log")
	echo "$log"
	[[ $log == *"SUBNET UP"* ]]
}

state_is()
{
	local state

	state=$(< "/sys/class/infiniband/$1/ports/1/state")
	echo "$1: $state"
	[[ $state == *"$2"* ]]
}

all_active()
{
	local d

	for d in /sys/class/infiniband/*; do
		state_is "${d##*/}" ACTIVE || return
	done
}

lid_of()
{
	echo $(($(< "/sys/class/infiniband/$1/ports/1/lid")))
}

# knob FILE VALUE: below the fabric's directory
knob()
{
	echo "$2" > "$debugfs/$1"
}

# diag PROGRAM...: one of infiniband-diags; they exit with 255, whatever fails
diag()
{
	local status

	timeout 20 "$@"
	status=$?
	[ $status -ne 255 ] || status=1
	return $status
}

# --- capture -------------------------------------------------------------------

# What is sent from here on is kept for captured()
capture()
{
	exec {tap}< /dev/ibdevsim_tap
}

# Reads all that there is and does not wait for more.
captured()
{
	dd bs=64k iflag=nonblock <&"$tap" > "$tmp/capture" 2> "$tmp/dd"
	exec {tap}<&-
	[ -s "$tmp/capture" ] || { cat "$tmp/dd"; return 1; }
}

# decode OPTION...: tshark. It has a dissector for this link type and does not
# know its number; as the first of the numbers that are the user's it can be told.
decode()
{
	{ head -c 20; head -c 4 > /dev/null; printf '\223\0\0\0'; cat; } \
		< "$tmp/capture" > "$tmp/user0"
	tshark -r "$tmp/user0" -o \
		'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""' "$@"
}

# check_frames { WHAT N FILTER }...: a result for each, that so many of the frames,
# or "some", are such. All at once, as it takes tshark seconds to start
check_frames()
{
	local i filters=() counts

	for ((i = 3; i <= $#; i += 3)); do
		filters+=("${!i}")
	done
	setup count_frames "${filters[@]}"
	for i in "${counts[@]}"; do
		check "$1" frames_are "$i" "$2"
		shift 3
	done
}

# count_frames FILTER...: into $counts
count_frames()
{
	local IFS=,

	decode -q -z "io,stat,0,$*" > "$tmp/frames" || return
	# A row of pairs: frames and octets
	mapfile -t counts < <(awk -F '|' -v n=$# \
		'/<>/ { for (i = 0; i < n; i++) print $(3 + 2 * i) + 0 }' "$tmp/frames")
	[ ${#counts[@]} -eq $# ] || { cat "$tmp/frames"; return 1; }
}

# frames_are COUNT WANTED
frames_are()
{
	[ "$2" = some ] && [ "$1" -gt 0 ] && return
	[ "$2" = "$1" ] && return
	echo "there are $1 in:"
	decode
	return 1
}

# --- hosts, with the kernel's own IPoIB driver --------------------------------

hosts=0

# hosts N [OPTION...]: a fabric with N HCAs; each has its interface, as ib0, in a
# namespace of its own, hN, with the address 10.0.0.N. ib_ipoib is what modprobe
# means by that even where another driver has been installed in its stead.
hosts()
{
	fabric "$@"
	setup modprobe -C /dev/null ib_ipoib
	while [ $hosts -lt "$1" ]; do
		setup host $((hosts + 1))
	done
	setup eventually all_carriers
}

host()
{
	local name

	name=$(interface_of "ibdevsim$(($1 - 1))") || { echo "$name"; return 1; }
	ip netns add "h$1" || return
	hosts=$1
	on "$1" sh -c 'cd /proc/sys/net &&
		echo 0 > ipv6/conf/default/accept_dad &&
		echo 0 > ipv4/icmp_echo_ignore_broadcasts' &&
	ip link set "$name" netns "h$1" name ib0 &&
	ip -n "h$1" -batch - <<-END
		link set lo up
		addr add 10.0.0.$1/24 dev ib0
		link set ib0 up
	END
}

# The interface whose address ends with the GID of the port
interface_of()
{
	local gid n address

	gid=$(< "/sys/class/infiniband/$1/ports/1/gids/0")
	for n in /sys/class/net/*; do
		read -r address < "$n/address"
		[[ ${address//:/} == *"${gid//:/}" ]] &&
			echo "${n##*/}" && return
	done
	echo "no interface has the GID $gid"
	return 1
}

# has_carrier N [INTERFACE]
has_carrier()
{
	local link

	link=$(ip -n "h$1" link show dev "${2:-ib0}")
	echo "$link"
	[[ $link == *LOWER_UP* ]]
}

all_carriers()
{
	local n

	for ((n = 1; n <= hosts; n++)); do
		has_carrier $n || return
	done
}

# on N COMMAND...: there
on()
{
	nsenter --net="/run/netns/h$1" "${@:2}"
}

# reach N ADDRESS [OPTION...]: every packet is answered, the first ones perhaps
# not, while addresses and paths are being found out
reach()
{
	local i

	eventually on "$1" ping -qc 1 -W 2 "$2" || return
	# One by one: no socket holds five answers of 60000 octets.
	for i in 1 2 3 4 5; do
		on "$1" ping -qc 1 -W 20 "${@:3}" "$2" || return
	done
}

no_hosts()
{
	[ $hosts -eq 0 ] || count_leaves
	while [ $hosts -gt 0 ]; do
		ip netns del "h$hosts"
		hosts=$((hosts - 1))
	done
	# While a subnet manager is there it hears who leaves, and that is quick.
	[ ! -d /sys/module/ib_ipoib ] || rmmod ib_ipoib
	[ ${#sms[@]} -eq 0 ] || patience=15000 eventually leaves_answered
}

# The log ends with what the module has to say when it goes.
goes_quietly()
{
	! grep -qw ibdevsim_loop /proc/modules || rmmod ibdevsim_loop || return
	rmmod ibdevsim && log_is_clean && eventually all_unmapped
}

finish()
{
	local n

	if [ $failures -gt 0 ]; then
		for ((n = 1; n <= hosts; n++)); do
			echo "==> host $n <=="
			on "$n" nstat -as
		done | sed 's/^/# /'
	fi
	no_hosts
	# Without a subnet manager nothing would happen that a test may say does not.
	sms_live || failures=$((failures + 1))
	[ ${#sms[@]} -eq 0 ] || kill -KILL "${sms[@]}"
	wait
	! sm_complaints "$tmp" || failures=$((failures + 1))
	check "the kernel log is clean after rmmod" goes_quietly
	verdict
} 2> /dev/null
