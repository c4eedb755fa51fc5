# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# No packet between hosts 1 and 2 goes uncounted: not between a host's stack and its
# driver, and not between the drivers.
#
# shellcheck disable=SC2154 # hosts.sh and ../lib.sh set the variables

# nothing_waits N: no packet of host N waits for a path, or for a group
nothing_waits()
{
	local rdma=rdma$1 line

	while read -r line; do
		[[ $line == *' staged=0 '* ]] || { echo "$line"; return 1; }
	done < "$debug/${!rdma}.1.${pkey:-ffff}/peers"
}

# quiet_hosts N...: from now on they send what the test asks for, and nothing else: no
# IPv6, and neighbours that are known
quiet_hosts()
{
	local n m ns other commands

	for n; do
		ns=h$n commands=
		for m; do
			other=h$m
			[ "$m" = "$n" ] || commands+="neigh replace 10.0.0.$m nud permanent
				dev ib0 lladdr $(lladdr "${!other}")"$'\n'
		done
		in_ns "${!ns}" sh -c \
			'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6' &&
			ip -n "${!ns}" -batch - <<< "${commands//$'\n'$'\t'/ }" || return
	done
	# The last words of IPv6 are on their way. What is sent after them comes after them.
	for n; do
		eventually nothing_waits "$n" || return
		ns=h$n
		for m; do
			[ "$m" = "$n" ] || ping_all "${!ns}" "10.0.0.$m" -c 1 -i 1 || return
		done
	done
}

# tally N: of host N into handed[N], what its stack gave the driver; refused[N], what
# of it did not get onto the wire; sent[N], what did; got[N], what came from there
tally()
{
	local ns=h$1 kind=none name value rest

	unset "handed[$1]" "sent[$1]" "got[$1]"
	refused[$1]=0
	while read -r name value rest; do
		case $name in
		# A queue discipline says "Sent 1234 bytes 12 pkt", and mq what its own say.
		qdisc)	kind=$value ;;
		Sent)	rest=${rest#bytes }
			[ "$kind" = mq ] || ((handed[$1] += ${rest%% *})) ;;
		tx[0-9]_packets: | conn_tx_packets:)
			((sent[$1] += value)) ;;
		rx0_packets: | conn_rx_packets:)
			((got[$1] += value)) ;;
		# Posted, and not sent.
		drop_tx_flushed:)
			((sent[$1] -= value, refused[$1] += value)) ;;
		drop_tx_*)
			((refused[$1] += value)) ;;
		# Did not come from the other host.
		drop_rx_own:) ;;
		drop_rx_*)
			((got[$1] += value)) ;;
		esac
	done < <(in_ns "${!ns}" sh -c 'ethtool -S ib0 && tc -s qdisc show dev ib0')
	[ -n "${handed[$1]-}" ] && [ -n "${sent[$1]-}" ] && [ -n "${got[$1]-}" ]
}

# tallies: of both hosts, into $tallies, too
tallies()
{
	local n

	tallies=
	for n in 1 2; do
		tally $n || return
		tallies+=" ${handed[n]} ${refused[n]} ${sent[n]} ${got[n]}"
	done
}

# have_settled: as they were when it was looked the last time
have_settled()
{
	local last=$tallies

	tallies && echo "$tallies" && [ "$tallies" = "$last" ]
}

# balanced HANDED REFUSED SENT GOT of host 1 and of host 2: since these tallies; with $only
# that host's stack and driver agree, whatever becomes of what was sent
balanced()
{
	local n status=0 then=("$@") now packets=0

	tallies || return
	read -ra now <<< "$tallies"
	for n in {0..7}; do
		((now[n] -= then[n]))
	done
	for n in 0 4; do
		echo "host $((n / 4 + 1)): ${now[n]} to send, ${now[n + 1]} not sent," \
			"${now[n + 2]} sent, of which $((now[7 - n])) arrived"
		[ "${only:-$((n / 4 + 1))}" -eq $((n / 4 + 1)) ] || continue
		((packets += now[n]))
		((now[n] == now[n + 1] + now[n + 2])) || status=1
		[ -n "$only" ] || ((now[n + 2] == now[7 - n])) || status=1
	done
	[ $packets -gt 0 ] && return $status
}

# conserved COMMAND...: of what hosts 1 and 2, quiet ones, send each other meanwhile,
# each packet is received, or is counted as dropped. Not for packets that are longer than
# the link or the connection takes, for their fragments pass the stack again; nor those
# that wait for a connection; nor a QP that fails while it receives, of whose last packets
# nobody knows
conserved()
{
	local only=''

	accounts_agree "$@"
}

# accounted N COMMAND...: of what host N sends meanwhile, to whomever, each packet was sent,
# or is counted as dropped; what waited, too, when nothing waits any more
accounted()
{
	local only=$1

	accounts_agree "${@:2}"
}

accounts_agree()
{
	local -a handed refused sent got settled
	local tallies=

	eventually have_settled || return
	read -ra settled <<< "$tallies"
	"$@" && eventually balanced "${settled[@]}"
}

# drops N HOW_MANY REASON COMMAND...: so many packets of host N, or "some", are dropped for that
# reason meanwhile, and none goes without one
drops()
{
	local ns=h$1 before after

	before=$(counter "${!ns}" "drop_$3") && accounted "$1" "${@:4}" || return
	after=$(counter "${!ns}" "drop_$3")
	echo "drop_$3: $after, was $before"
	if [ "$2" = some ]; then
		[ "$after" -gt "$before" ]
	else
		[ "$after" -eq $((before + $2)) ]
	fi
}

# drops_only N HOW_MANY REASON COMMAND...: host N drops so many packets for that reason
# meanwhile, and none for another one
drops_only()
{
	local ns=h$1 before

	before=$(drop_counters "${!ns}") && "${@:4}" &&
		eventually only_dropped "${!ns}" "drop_$3: $2" "$before" &&
		nap && only_dropped "${!ns}" "drop_$3: $2" "$before"
}

drop_counters()
{
	in_ns "$1" ethtool -S ib0 | grep drop_
}

# only_dropped NS GROWN BEFORE
only_dropped()
{
	local -A was=()
	local name value grown=

	while read -r name value; do
		was[$name]=$value
	done <<< "$3"
	while read -r name value; do
		[ "$value" -eq "${was[$name]}" ] || grown+="$name $((value - was[$name]));"
	done < <(drop_counters "$1")
	echo "$grown"
	[ "$grown" = "$2;" ]
}
