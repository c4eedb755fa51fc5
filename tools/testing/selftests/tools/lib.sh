# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests in this directory share, beside lib.sh of ipoib: hosts that are to a program
# as a machine of its own, to be set up by the program's own files.
#
#	. "$(dirname "$0")/lib.sh"
#	needs keepalived
#	plan 1
#	ib_hosts 2
#	machine 1
#	config 1 /etc/keepalived/keepalived.conf <<- END
#		...
#	END
#	setup daemon 1 keepalived --dont-fork
#	check "it has the address" eventually on 1 ip addr show to 10.0.0.9
#
# TOOLS_ROOT  a directory with programs that the machine itself need not have, as
#             scripts/tools-root.sh makes it
#
# shellcheck disable=SC2154 # lib.sh of ipoib sets the variables

: "${FABRIC:=ib}" "${TOOLS_ROOT:=}"
# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/../ipoib/lib.sh"
# shellcheck disable=SC2034 # for lib.sh of ipoib
only=ib
furnish=${BASH_SOURCE[0]%/*}/lib/furnish.sh
# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/lib/dhcp.sh"
# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/lib/nmstate.sh"
# shellcheck source=/dev/null
. "${BASH_SOURCE[0]%/*}/lib/ynl.sh"
declare -A machine_pid

# needs PROGRAM...: or the test is not for this machine
needs()
{
	local program

	for program; do
		# What has a path may stand in that directory; command -v looks for it without.
		[[ $program != /* ]] || [ ! -f "$TOOLS_ROOT$program" ] ||
			[ ! -x "$TOOLS_ROOT$program" ] || continue
		PATH=$PATH${TOOLS_ROOT:+:$TOOLS_ROOT/usr/sbin:$TOOLS_ROOT/usr/bin} \
			command -v "$program" > /dev/null || skip_all "no $program"
	done
}

# port N...: the interface of that port is ib0 of host N, down, and without addresses
port()
{
	local n ns rdma

	for n; do
		ns=h$n rdma=rdma$n
		setup netns "${!ns}"
		setup ip link set "$(interface_of "${!rdma}")" netns "${!ns}" name ib0
		defer leave_groups "${!ns}"
		setup ip -n "${!ns}" link set lo up
	done
}

# ports_to_bond: of host 2, ib0 and ib1, which bond0 is to be made of; host 1 has one of its own
ports_to_bond()
{
	setup modules bonding
	# Its file in /sys/class/net stays as long as it does.
	defer rmmod bonding
	ib_fabric 3
	setup host 1
	port 2 3
	setup ip -n "$h3" link set ib0 netns "$h2" name ib1
}

# machine N...: host N has /etc, /run, /usr, /var and /sys of its own from here on
machine()
{
	local n ns dir

	for n; do
		ns=h$n dir=$tmp/machine$n
		setup mkdir "$dir"
		TOOLS_ROOT=$TOOLS_ROOT timeout $((6 * minute)) ip netns exec "${!ns}" bash "$furnish" \
			"$tmp" "$dir" > "$dir/log" 2>&1 &
		defer end_job $!
		setup eventually [ -s "$dir/pid" ]
		machine_pid[$n]=$(< "$dir/pid")
	done
}

# on N COMMAND...: in that machine
on()
{
	nsenter --target="${machine_pid[$1]}" --mount --net "${@:2}"
}

# config N FILE [MODE]: what comes in is what FILE says there
config()
{
	setup on "$1" install -D -m "${3:-644}" /dev/stdin "$2"
}

# daemon N PROGRAM [ARGUMENT...]: runs there, in the foreground, to the end of the test; its
# process is $job
daemon()
{
	local log=$tmp/${2##*/}$1

	mkdir -p "$log"
	timeout -k 5 $((6 * minute)) nsenter --target="${machine_pid[$1]}" --mount --net \
		"${@:2}" >> "$log/log" 2>&1 < /dev/null &
	job=$!
	defer end_job "$job"
}

# said N PROGRAM TEXT: it has
said()
{
	grep -e "$3" "$tmp/$2$1/log"
}

# has_address N ADDRESS [NAME]
has_address()
{
	ip -n "$(host_ns "$1")" -o addr show dev "${3:-ib0}" | grep -F " $2"
}

host_ns()
{
	local ns=h$1

	echo "${!ns}"
}

# reaches N ADDRESS [OPTION...]: every ping is answered, once the first one was
reaches()
{
	eventually ping_all "$(host_ns "$1")" "$2" -w 2 "${@:3}"
}

# link_is N NAME TEXT: ip -d has that to say of the interface
link_is()
{
	ip -n "$(host_ns "$1")" -d link show dev "$2" | tee -a /dev/stderr | grep -qe "$3"
}

# --- systemd-networkd ----------------------------------------------------------

# networkd N: by the files that are there then
networkd()
{
	setup on "$1" install -d -o systemd-network -g systemd-network \
		/run/systemd/netif /run/systemd/netif/{leases,links,lldp}
	setup daemon "$1" /usr/lib/systemd/systemd-networkd
}

# configured N NAME: networkd has done all that it was to do with that interface
configured()
{
	# shellcheck disable=SC2016 # in the machine
	on "$1" sh -c 'cat /run/systemd/netif/links/$(cat /sys/class/net/'"$2"'/ifindex)' |
		tee -a /dev/stderr | grep -qx ADMIN_STATE=configured
}

# --- NetworkManager ------------------------------------------------------------

# connection N NAME: what comes in is a connection of NetworkManager's, which reads no file
# that others can read, too
connection()
{
	config "$1" "/etc/NetworkManager/system-connections/$2.nmconnection" 600
}

# network_manager N: by the connections that are there then
network_manager()
{
	config "$1" /etc/dbus-1/test.conf <<- END
		<busconfig>
		<type>system</type>
		<listen>unix:path=/run/dbus/system_bus_socket</listen>
		<policy context="default">
		<allow user="*"/><allow own="*"/>
		<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
		</policy>
		</busconfig>
	END
	config "$1" /etc/NetworkManager/NetworkManager.conf <<- END
		[main]
		plugins=keyfile
		dns=none
		auth-polkit=root-only
		no-auto-default=*
	END
	setup on "$1" mkdir -p /run/dbus
	setup daemon "$1" dbus-daemon --config-file=/etc/dbus-1/test.conf --nofork --nopidfile
	setup eventually on "$1" [ -S /run/dbus/system_bus_socket ]
	setup daemon "$1" NetworkManager --no-daemon
	setup eventually on "$1" nmcli general
}

# activated N NAME: NetworkManager says so of that connection
activated()
{
	on "$1" nmcli -g GENERAL.STATE connection show "$2" | tee -a /dev/stderr | grep -qx activated
}

# netplan N: what comes in is its configuration, of which it makes files of the others'
netplan()
{
	config "$1" /etc/netplan/ib0.yaml 600
	# By what that writes it finds its library.
	setup on "$1" ldconfig
	setup on "$1" netplan generate
}
