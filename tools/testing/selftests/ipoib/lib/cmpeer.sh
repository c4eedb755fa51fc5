# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Peers of connected mode that do what a test tells them, see
# drivers/infiniband/ulp/ipoib/tests/cmpeer.c.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

cmpeer=/sys/kernel/debug/ipoib_cmpeer

# cm_peers: from now on there may be some
cm_peers()
{
	modules ib_cm || return
	if [ -n "${IPOIB_KO-}" ]; then
		insmod "${IPOIB_KO%/*}/ipoib_cmpeer.ko" || return
	else
		modprobe ipoib_cmpeer || return
	fi
	defer rmmod ipoib_cmpeer
}

# cmpeer COMMAND OPTION...
cmpeer()
{
	echo "$*" > $cmpeer/command
}

# ask_host N OPTION...: REQs to it, from the port of the other host
ask_host()
{
	local ns=h$1 rdma=rdma$((3 - $1))

	cmpeer open "dev=${!rdma}" "to=$(lladdr "${!ns}")" "${@:2}"
}

# ask_in_turn STEP COUNT QPN OPTION...: host 1, COUNT times from this QPN on, but only so
# many at a time: those that are not made yet make room for others
ask_in_turn()
{
	local i left

	for ((i = 0; i < $2; i += $1)); do
		left=$(($2 - i))
		ask_host 1 "qpn=$(($3 + i))" "count=$(($1 < left ? $1 : left))" "${@:4}" &&
			eventually all_decided || return
	done
}

# The attributes of messages, IBTA 12.6
declare -A cm_attr=([req]=0x10 [mra]=0x11 [rej]=0x12 [rep]=0x13 [rtu]=0x14 [dreq]=0x15
	[drep]=0x16 [sidr_req]=0x17 [sidr_rep]=0x18 [lap]=0x19 [apr]=0x1a)

# cm_messages N rx|tx MESSAGE: so many the CM has received on port N, or sent
cm_messages()
{
	local rdma=rdma$1

	echo "$(< "/sys/class/infiniband/${!rdma}/ports/1/cm_$2_msgs/$3")"
}

# cm_message_came N MESSAGE BEFORE
cm_message_came()
{
	[ "$(cm_messages "$1" rx "$2")" -gt "$3" ]
}

# say_to N MESSAGE OPTION...: to host N, from the port of the other host, and its CM takes
# notice of it
say_to()
{
	local ns=h$1 rdma=rdma$((3 - $1)) before

	before=$(cm_messages "$1" rx "$2") &&
		cmpeer say "dev=${!rdma}" "to=$(lladdr "${!ns}")" "attr=${cm_attr[$2]}" \
			"${@:3}" &&
		eventually cm_message_came "$1" "$2" "$before"
}

# peer_id WORD...: id=N of the first one that all words are true of
peer_id()
{
	find_lines $cmpeer/connections "$@" && [[ ${found[0]-} =~ id=[0-9]+ ]] &&
		echo "${BASH_REMATCH[0]}"
}

# peers WORD...: lines of those that all words are true of
peers()
{
	find_lines $cmpeer/connections "$@" || return
	[ ${#found[@]} -eq 0 ] || printf '%s\n' "${found[@]}"
}

# count_peers WORD...
count_peers()
{
	find_lines $cmpeer/connections "$@" || return
	echo ${#found[@]}
}

# peers_are N WORD...: as many as that
peers_are()
{
	find_lines $cmpeer/connections "${@:2}" || return
	[ ${#found[@]} -eq "$1" ] && return
	echo "${#found[@]} of ${#all[@]}:"
	printf '%s\n' "${all[@]::20}"
	return 1
}

# all_decided: no REQ is waiting for its answer
all_decided()
{
	peers_are 0 state=req_sent
}

# none_half_made: host 1 has heard of each RTU. Others that ask would have the oldest make room
none_half_made()
{
	local file=$debug/$rdma1.1.${pkey:-ffff}/connections

	[ -r "$file" ] && ! grep -wE 'state=(new|rep_sent)' "$file"
}

# peer_lladdr N QPN [TRANSPORT]: what a peer on the port of host N would have
peer_lladdr()
{
	local ns=h$1 gid flags=80

	[ "${3-}" != uc ] || flags=40
	gid=$(lladdr "${!ns}") || return
	printf '%s:%02x:%02x:%02x:%s\n' $flags $(($2 >> 16 & 255)) \
		$(($2 >> 8 & 255)) $(($2 & 255)) "${gid:12}"
}

# stand_in_for N TRANSPORT ANSWER: host N takes no connections, and listens to nobody; a
# peer on its port answers in its place what host 1 asks
stand_in_for()
{
	local rdma=rdma$1 qpn

	qpn=$(status "${!rdma}" qpn) && offer "" "$1" &&
		cmpeer listen "dev=${!rdma}" "qpn=$qpn" "answer=$3" &&
		knows "$h1" "10.0.0.$1" "$(peer_lladdr "$1" "$qpn" "${2,,}")"
}

# own_data N: the private data of host N, in hexadecimal
own_data()
{
	local rdma=rdma$1

	printf '%08x%08x\n' "$(status "${!rdma}" qpn)" 65524
}

# nothing_of OBJECT: the driver has none of these left
nothing_of()
{
	local object made freed

	while read -r object made freed; do
		echo "$object $made $freed"
		[ "$object" != "$1" ] || [ "$made" = "$freed" ] || return 1
	done < "$objects"
}
