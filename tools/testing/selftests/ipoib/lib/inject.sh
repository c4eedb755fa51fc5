# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Packets that no network driver would send.
#
# shellcheck disable=SC2154 # fabric_ib.sh and ../lib.sh set the variables

# inject OPTION...: see ud_inject -h; on InfiniBand by ibdevsim_loop, as there
# are no verbs for a program
inject()
{
	if on_ib; then
		ib_inject "$@"
	else
		"${OUTPUT:-$here}/ud_inject" "$@"
	fi
}

ib_inject()
{
	local OPTIND=1 option device address qkey='' count=1 hex='' len=64

	while getopts d:a:x:t:l:k:n: option; do
		case $option in
		d) device=$OPTARG ;;
		a) address=${OPTARG//:/} ;;
		x) hex=$OPTARG len=$((${#OPTARG} / 2)) ;;
		t) hex=$(printf '%04x0000' "$OPTARG") ;;
		l) len=$OPTARG ;;
		k) qkey=$OPTARG ;;
		n) count=$OPTARG ;;
		*) return 1 ;;
		esac
	done
	[ -d /sys/module/ibdevsim_loop ] || load_sim ibdevsim_loop || return
	echo "$device" "$(destination "$device" "${address:8}")" \
		"0x${address:2:6}" "${qkey:-$(status "$device" qkey)}" \
		"$count" "$len" "$hex" > /sys/kernel/debug/ibdevsim_loop/inject
}

# destination RDMADEV GID: LID and, for a group, GID as the device knows them
destination()
{
	local port mgid

	for port in /sys/class/infiniband/*/ports/1; do
		[ "$(tr -d : < "$port/gids/0")" != "$2" ] ||
			echo "$(< "$port/lid") -"
	done
	[ "$2" = ff12401bffff000000000000ffffffff ] || return
	mgid=ff12:401b:ffff::ffff:ffff
	sed -n "s/^$mgid .* mlid=\([^ ]*\) .*/\1 $mgid/p" \
		"$debug/$1.1.ffff/groups"
}

# sa_mad RDMADEV LID METHOD ATTRIBUTE MASK DATA: to the port with that LID, a MAD such as
# subnet administrators send and are sent (IBTA 15.2.1.1). What has to be hexadecimal is,
# without 0x. Nobody hears the answer
sa_mad()
{
	local hex

	[ -d /sys/module/ibdevsim_loop ] || load_sim ibdevsim_loop || return
	hex=$(printf '010302%s%024x%s%012x%048x%016x%s' "$3" 1 "$4" 0 0 "0x$5" "$6")
	echo "$1 $2 - 1 0x80010000 1 256 $hex" > /sys/kernel/debug/ibdevsim_loop/inject
}

# ask_sa RDMADEV METHOD ATTRIBUTE MASK DATA: the subnet administrator, in the name of the
# port
ask_sa()
{
	sa_mad "$1" "$(($(< "/sys/class/infiniband/$1/ports/1/sm_lid")))" "${@:2}"
}

# report RDMADEV N TRAP MGID: what a subnet administrator on the port of RDMADEV would
# report to host N of a group, 32 digits: 66 that it was made, 67 that it was deleted
report()
{
	local rdma=rdma$2

	# IBTA 13.4.8.2: a generic Notice, of a manager
	sa_mad "$1" "$(($(< "/sys/class/infiniband/${!rdma}/ports/1/lid")))" 06 0002 0 \
		"$(printf '83000004%04x%020x%s' "$3" 0 "$4")"
}
