# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Connected mode, RFC 4755.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

# mode MODE N...: connected or datagram, of these hosts
mode()
{
	local n ns

	for n in "${@:2}"; do
		ns=h$n
		# shellcheck disable=SC2016 # the shell in the namespace does
		in_sysfs "${!ns}" sh -c 'echo "$0" > /sys/class/net/ib0/mode' \
			"$1" || return
	done
}

# transports: those that the HCAs have
transports()
{
	if on_ib && [ "${IBDEVSIM_PROFILE-}" = irdma ]; then
		echo RC
	else
		echo RC UC
	fi
}

# offer "TRANSPORT..." N...: these hosts take connections of rc, uc, both if the HCAs have
# both, or none
offer()
{
	local n ns rc=off uc=off

	[[ $1 != *rc* ]] || rc=on
	[[ $1 != *uc* ]] || uc=on
	[[ $1 != "rc uc" || $(transports) == *UC* ]] || uc=off
	for n in "${@:2}"; do
		ns=h$n
		in_ns "${!ns}" ethtool --set-priv-flags ib0 rc $rc uc $uc ||
			return
	done
}

# connected "TRANSPORT..." N...: in connected mode with these transports; nobody
# remembers addresses from before
connected()
{
	local n ns

	offer "$@" && mode connected "${@:2}" || return
	for n in 1 2 3; do
		ns=h$n
		[ ! -e "/run/netns/${!ns}" ] ||
			forget_neighbours "${!ns}" dev ib0 || return
	done
}

# one_queue N: all connections of that host share the buffers that they receive by
one_queue()
{
	local ns=h$1

	in_ns "${!ns}" ethtool -l ib0 | grep -A 5 '^Current' | grep -w 'Combined:.*1' ||
		in_ns "${!ns}" ethtool -L ib0 combined 1
}

# private_flag NAME on|off N...: of these hosts' interfaces
private_flag()
{
	local n ns

	for n in "${@:3}"; do
		ns=h$n
		in_ns "${!ns}" ethtool --set-priv-flags ib0 "$1" "$2" || return
	done
}

# connections N: debugfs has a line for each that host N has
connections()
{
	local rdma=rdma$1

	cat "$debug/${!rdma}.1.${pkey:-ffff}/connections"
}

# find_lines FILE WORD...: $found are those that all of the words are true of, $all are
# all. No program is started, for some tests ask again and again
find_lines()
{
	local line word

	found=() all=()
	mapfile -t all < "$1" || return "$cannot_tell"
	for line in "${all[@]}"; do
		for word in "${@:2}"; do
			[[ " $line " == *[!0-9A-Za-z_]"$word"[!0-9A-Za-z_]* ]] || continue 2
		done
		found+=("$line")
	done
}

# find_connections N WORD...: of host N
find_connections()
{
	local rdma=rdma$1

	find_lines "$debug/${!rdma}.1.${pkey:-ffff}/connections" "${@:2}" &&
		printf '%s\n' "${all[@]}"
}

# has_connection N WORD...: one that all of the words are true of
has_connection()
{
	find_connections "$@" && [ ${#found[@]} -gt 0 ]
}

# has_connections N COUNT: live ones
has_connections()
{
	find_connections "$1" state=established && [ ${#found[@]} -eq "$2" ]
}

# connections_are N COUNT: whatever their state
connections_are()
{
	find_connections "$1" && [ ${#found[@]} -eq "$2" ]
}

# has_no_connection N: nor one that comes or goes. Those from before it was down, or
# in another mode, are not seen: see nothing_of
has_no_connection()
{
	connections_are "$1" 0
}

# qpn_of N: qpn=... of its live connection
qpn_of()
{
	find_connections "$1" state=established > /dev/null &&
		[[ ${found[0]-} =~ qpn=[^\ ]* ]] && echo "${BASH_REMATCH[0]}"
}

# break_path N: what connections send to the first LID of host N is lost, and what
# is said about them
break_path()
{
	local rdma=rdma$1 lid

	lid=$(($(< "/sys/class/infiniband/${!rdma}/ports/1/lid")))
	ib_knob drop_rc_dlid $lid && ib_knob drop_cm_dlid $lid
}

mend_path()
{
	ib_knob drop_rc_dlid 0 && ib_knob drop_cm_dlid 0
}

# by_connection N [SIZE] COMMAND...: host N sends by connections meanwhile, SIZE octets
# or more; 3M is 3 MiB
by_connection()
{
	moved tx "$@"
}

# from_connection N [SIZE] COMMAND...: it receives them
from_connection()
{
	moved rx "$@"
}

# moved tx|rx N [SIZE] COMMAND...
moved()
{
	local way=conn_$1_bytes ns=h$2 least=1 before octets

	shift 2
	if [[ $1 == [0-9]* ]]; then
		least=$((${1/%M/ << 20}))
		shift
	fi
	before=$(counter "${!ns}" "$way")
	"$@" || return
	octets=$(($(counter "${!ns}" "$way") - before))
	echo "$octets octets by connections"
	[ "$octets" -ge "$least" ]
}

# by_datagram N COMMAND...: it sends none
by_datagram()
{
	local ns=h$1 before

	before=$(counter "${!ns}" conn_tx_packets)
	"${@:2}" && not grew "${!ns}" conn_tx_packets "$before"
}

# answers NS ADDRESS [OPTION...]: one ping has an answer; for eventually
answers()
{
	in_ns "$1" ping -q -c 1 -W 5 "${@:3}" "$2"
}

# large NS ADDRESS: five pings of 60000 octets, after a small one that finds the neighbour
large()
{
	eventually answers "$1" "$2" && ping_each "$1" "$2" -s 60000
}

# knows NS ADDRESS LLADDR: and need not ask
knows()
{
	ip -n "$1" neigh replace "$2" lladdr "$3" dev ib0 nud permanent
}

# transfer_while COMMAND...: from host 1 to host 2, in the middle of which something
# happens: it goes on for as long as that takes, and 8 MiB longer
transfer_while()
{
	local before transfer status

	touch "$tmp/more"
	before=$(counter "$h1" conn_tx_packets)
	transfer "$h1" "$h2" 10.0.0.2 more &
	transfer=$!
	eventually grew "$h1" conn_tx_packets $((before + 50)) && "$@"
	status=$?
	rm "$tmp/more"
	wait $transfer && return $status
}

# queue_is_open NS: nobody is held up in front of the interface, in most of twenty looks
queue_is_open()
{
	local i held=0 queue

	for ((i = 0; i < 20; i++)); do
		queue=$(in_ns "$1" tc -s qdisc show dev ib0)
		[[ $queue == *"backlog 0b 0p"* && $queue != *"backlog "[1-9]* ]] ||
			held=$((held + 1))
		nap
	done
	echo "held up $held times of $i"
	[ $held -lt 10 ]
}
