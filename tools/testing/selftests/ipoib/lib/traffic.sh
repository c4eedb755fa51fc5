# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a test does from a host, and where it looks.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

in_ns()
{
	nsenter --net="/run/netns/$1" "${@:2}"
}

# in_sysfs NS COMMAND...: that finds the interfaces of the namespace in /sys, too,
# which takes three times as long
in_sysfs()
{
	ip netns exec "$@"
}

# poll_late NS [MS]: it looks for packets 2 ms after the last ones came, or so many, and not at
# once, so that several have come by then however fast the CPU is
poll_late()
{
	# shellcheck disable=SC2016 # the shell that is started expands it
	in_sysfs "$1" sh -c 'cd /sys/class/net/ib0 &&
		echo "$1" > gro_flush_timeout && echo 100 > napi_defer_hard_irqs' \
		sh "${2-2}000000"
}

# ping_all NS ADDRESS [OPTION...]: each request has one answer. Until as many as -c says
# have come ping goes on; with -W it would not wait for the last one. When many are on
# their way, $late of the last may be overtaken
ping_all()
{
	local out line i answers=()

	out=$(in_ns "$1" ping -c 5 -i 0.05 -w "$minute" "${@:3}" "$2" 2>&1) || {
		grep -v ttl= <<< "$out"
		return 1
	}
	while read -r line; do
		[[ ! $line =~ icmp_seq=([0-9]+)\ ttl= ]] || answers[BASH_REMATCH[1]]+=x
	done <<< "$out"
	[ ${#answers[@]} -gt 0 ] || return
	for ((i = 1; i <= ${#answers[@]} - ${late:-0}; i++)); do
		[ "${answers[i]-}" = x ] || {
			echo "of $i: ${answers[i]:-none}, of ${#answers[@]}"
			return 1
		}
	done
}

# ping_each NS ADDRESS [OPTION...]: five, each when the one before has been answered. Of
# large ones no socket, the kernel's or ping's, has room for more
ping_each()
{
	local i

	for i in 1 2 3 4 5; do
		ping_all "$@" -c 1 -i 1 || return
	done
}

# flood NS ADDRESS [OPTION...]: 500 pings a second, in the background. As many as
# get through would leave the test itself no CPU
flood()
{
	background ip netns exec "$1" ping -q -i 0.002 -s 1000 "${@:3}" "$2"
}

# steady NS ADDRESS [OPTION...]: 200 pings a second, in the background, for none_lost to
# say what became of them. Receive queues hold those of a second in which a CPU is away
steady()
{
	timeout $((4 * minute)) ip netns exec "$1" ping -i 0.005 "${@:3}" "$2" \
		> "$tmp/steady.log" 2>&1 &
	steady_job=$!
	defer end_job "$steady_job"
	eventually grep -q icmp_seq=10 "$tmp/steady.log"
}

answered()
{
	sed -n 's/.*icmp_seq=\([0-9]*\) ttl=.*/\1/p' "$tmp/steady.log"
}

# goes_on [N]: so many more answers come in from now on
goes_on()
{
	local last

	last=$(answered | tail -n 1)
	eventually grep -q "icmp_seq=$((last + ${1:-125})) " "$tmp/steady.log"
}

# none_lost: they go on, and each request has one answer, but those of the last second:
# they may be on their way while somebody is asleep
none_lost()
{
	local last sent msec going

	goes_on 1
	going=$?
	kill -INT "$steady_job"
	wait "$steady_job"
	answered | sort -n > "$tmp/answered"
	last=$(tail -n 1 "$tmp/answered")
	read -r sent msec < <(sed -n \
		's/ packets transmitted.* time \([0-9]*\)ms$/ \1/p' "$tmp/steady.log")
	tail -n 3 "$tmp/steady.log"
	diff "$tmp/answered" <(seq "${last:-0}") &&
		[ $going -eq 0 ] && [ "${msec:-0}" -gt 0 ] &&
		[ "$last" -ge $((sent - 1 - sent * 1000 / msec)) ]
}

# lladdr NS [NAME]: 20 octets as ip prints them
lladdr()
{
	local link

	link=$(ip -n "$1" link show dev "${2:-ib0}") || return
	[[ $link =~ link/[^\ ]+\ ([^\ ]+) ]] && echo "${BASH_REMATCH[1]}"
}

# counter NS COUNTER [NAME]: of ethtool -S; tx_packets and so on are those of all queues
counter()
{
	local name value sum

	while read -r name value; do
		[[ $name != [rt]x[0-9]_* || $2 == ?x[0-9]_* ]] || name=${name/[0-9]/}
		[ "$name" != "$2:" ] || ((sum += value))
	done < <(in_ns "$1" ethtool -S "${3:-ib0}")
	[ -n "${sum-}" ] || return "$cannot_tell"
	echo "$sum"
}

# grew NS COUNTER OLD [NAME]: and so did not stay
grew()
{
	local now

	now=$(counter "$1" "$2" "${4:-ib0}") || return
	echo "$2: $now, was $3"
	[ -n "$3" ] || return "$cannot_tell"
	[ "$now" -gt "$3" ]
}

# lost NS [NAME]: of each reason, what the interface could not send; what is for a group without
# members is none of that
lost()
{
	in_ns "$1" ethtool -S "${2-ib0}" | grep drop_tx_ | grep -v drop_tx_no_member
}

# snmp NS NAME: a counter of the stack
snmp()
{
	local name value rest

	while read -r name value rest; do
		[ "$name" != "$2" ] || echo "$value"
	done < <(in_ns "$1" nstat -asz "$2")
}

# traffic: unicast both ways and broadcast, until the test ends, in place of what
# there was of it before
traffic_jobs=()
traffic()
{
	local job before

	for job in "${traffic_jobs[@]}"; do
		end_job "$job"
	done
	traffic_jobs=()
	before=$(counter "$h2" rx0_packets)
	flood "$h1" 10.0.0.2
	traffic_jobs+=("$job")
	flood "$h2" 10.0.0.1 -s 3000
	traffic_jobs+=("$job")
	flood "$h1" 10.0.0.255 -b
	traffic_jobs+=("$job")
	eventually grew "$h2" rx0_packets $((before + 300))
}

# send_udp NS ADDRESS PORT COUNT: datagrams that say 1, 2, 3...
send_udp()
{
	# shellcheck disable=SC2016 # bash in the namespace expands them
	in_ns "$1" bash -c 'for ((i = 1; i <= $2; i++)); do
		echo $i > "$0/$1"
	done' "/dev/udp/$2" "$3" "$4"
}

# join_group N: host N listens to 239.1.2.3
join_group()
{
	local ns=h$1

	background ip netns exec "${!ns}" socat -u \
		UDP4-RECV:5000,ip-add-membership=239.1.2.3:ib0 "CREATE:$tmp/heard$1"
}

# group_hears N FROM: host N, after join_group, what host FROM sends
group_hears()
{
	local ns=h$2

	send_udp "${!ns}" 239.1.2.3 5000 5
	grep . "$tmp/heard$1"
}

# by_hash NS NAME: a flow is not sent by the channel of its CPU, which kernels with XPS do
by_hash()
{
	# shellcheck disable=SC2016 # sh in the namespace expands it
	in_sysfs "$1" sh -c 'for f in /sys/class/net/$0/queues/tx-*/xps_cpus; do
			[ ! -e "$f" ] || ! cat "$f" || echo 0 > "$f" || exit
		done' "$2"
}

# send_frames FROM TO ETHERTYPE OCTETS: five, with a header that the driver makes
send_frames()
{
	local link

	link=$(ip -n "$1" -o link show dev ib0) || return
	# shellcheck disable=SC2016 # perl expands it
	in_ns "$1" perl -e '
		my ($type, $len, $index, $to) = @ARGV;
		my $ll = pack "S n i S C C a20", 17, hex $type, $index, 0, 0, 20,
			pack("H*", $to =~ s/://gr);
		socket my $s, 17, 2, 0 or die "socket: $!";
		for (1 .. 5) {
			send $s, "\0" x $len, 0, $ll or die "send: $!";
		}' "${@:3}" "${link%%:*}" "$(lladdr "$2")"
}

# listens NS PORT: somebody waits for TCP connections
listens()
{
	[[ $(in_ns "$1" ss -Hltn "sport = $2") == LISTEN* ]]
}

# receives NS PORT: somebody takes datagrams; who joins a group does that before
receives()
{
	[[ $(in_ns "$1" ss -Hlun "sport = $2") == UNCONN* ]]
}

# stream SIZE: over TCP from host 1 to host 2
stream()
{
	background ip netns exec "$h2" socat -u TCP-LISTEN:5002,reuseaddr /dev/null
	eventually listens "$h2" 5002 || return
	head -c "$1" /dev/zero |
		in_ns "$h1" timeout "$minute" socat -u -b 262144 - TCP:10.0.0.2:5002 &&
		wait "$job"
}

# more: random octets for as long as $tmp/more is there, and 8 MiB. They are kept in
# memory, so not as many as fit on the wire
more()
{
	while [ -e "$tmp/more" ]; do
		head -c 1M /dev/urandom || return
		nap
	done
	head -c 8M /dev/urandom
}

# transfer FROM TO ADDRESS [SIZE]: random data over TCP, and compare; SIZE "more" is as
# above. From file to file, because each pipe costs as much as a network
transfer()
{
	local size=${4:-$(much 64M)}
	local sent=$tmp/sent.$size received=$tmp/received receiver
	local send=(in_ns "$1" timeout $((2 * minute)) socat -u -b 262144 - "TCP:$3:5001")

	in_ns "$2" timeout $((2 * minute)) socat -u -b 262144 TCP6-LISTEN:5001,reuseaddr \
		"CREATE:$received" &
	receiver=$!
	eventually listens "$2" 5001 || return
	if [ "$size" = more ]; then
		more | tee "$sent" | "${send[@]}" || return
	else
		[ -e "$sent" ] || head -c "$size" /dev/urandom > "$sent"
		"${send[@]}" < "$sent" || return
	fi
	wait "$receiver" && cmp "$sent" "$received"
}

# status RDMADEV KEY: what debugfs says of the interface on the port, or of
# that with the P_Key $pkey, four hexadecimal digits
status()
{
	local key value

	while read -r key value; do
		[ "$key" != "$2:" ] || echo "$value"
	done < "$debug/$1.1.${pkey:-ffff}/status"
}

# joined RDMADEV MGID [FLAG]: debugfs lists the group as joined
joined()
{
	local mgid state flags rest

	while read -r mgid state flags rest; do
		echo "$mgid $state $flags"
		[ "$mgid $state" = "$2 state=joined" ] || continue
		[ -z "${3-}" ] || [[ ${flags/=/,}, = *",$3,"* ]] || continue
		return 0
	done < "$debug/$1.1.${pkey:-ffff}/groups" || return "$cannot_tell"
	return 1
}

is_member()
{
	joined "$1" "$2" member
}

# opened NS ADDRESS RDMADEV MGID: what the host sends to the group arrives there.
# An SM opens the way for a group when it has both a sender and a listener, and
# some time after it told the sender that it has joined
opened()
{
	on_ib || return 0
	send_udp "$1" "$2" 9 1
	forwards "$4" "$3"
}

is_sender()
{
	joined "$1" "$2" sendonly
}

# The fields that say where a packet goes, in an IPv6 header on RoCE, and in LRH
# and GRH on InfiniBand; unicast has no GRH there.
# shellcheck disable=SC2034 # for the tests
{
	to_gid=ipv6.dst to_hops=ipv6.hlim to_class=ipv6.tclass
	[ "$FABRIC" = roce ] || to_gid=infiniband.grh.dgid \
		to_hops=infiniband.grh.hoplmt to_class=infiniband.grh.tclass
	to=("$to_gid" infiniband.lrh.dlid)
}

# address_on_wire N: what $to has for the port of host N
address_on_wire()
{
	local eth=eth$1 rdma=rdma$1

	if on_ib; then
		printf '\t%d' "$(< "/sys/class/infiniband/${!rdma}/ports/1/lid")"
	else
		ip -6 -o addr show dev "${!eth}" scope link |
			sed 's/.* \(fe80[^/]*\).*/\1\t/'
	fi
}

# capture ETHDEV: what arrives there for RDMA, until decode; on InfiniBand what
# is on all links
capture()
{
	if on_ib; then
		exec {tap_fd}< /dev/ibdevsim_tap && defer end_capture
		return
	fi
	tcpdump -i "$1" -U --immediate-mode -w "$tmp/pcap" \
		udp port 4791 2> "$tmp/tcpdump.log" &
	capture_job=$!
	defer end_job $capture_job
	eventually grep -q listening "$tmp/tcpdump.log"
}

# sleeps PID: or has ended
sleeps()
{
	local stat

	[ -e "/proc/$1" ] || return 0
	stat=$(< "/proc/$1/stat")
	[[ ${stat##*) } == S* ]]
}

# end_capture: after all that there is has been read
end_capture()
{
	[ -n "$tap_fd" ] || return 0
	dd bs=64k iflag=nonblock of="$tmp/tap" <&"$tap_fd" 2> "$tmp/dd.log"
	exec {tap_fd}<&-
	tap_fd=
}

# decode FILTER FIELD...: ends the capture; a line per packet, tabs between;
# of fields that occur twice, outside and inside, the outer one
decode()
{
	local field fields=()

	if on_ib; then
		end_capture
		tap_decode "$@"
		return
	fi
	if [ -n "$capture_job" ]; then
		# Told to end it would leave unread what is there: that wakes it.
		eventually sleeps "$capture_job" || return
		end_job "$capture_job"
	fi
	capture_job=
	for field in "${@:2}"; do
		fields+=(-e "$field")
	done
	tshark -r "$tmp/pcap" -Y "$1" -T fields -E occurrence=f \
		"${fields[@]}" 2> /dev/null
}
