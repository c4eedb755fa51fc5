# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a node without manners does to host 1 by CM messages and connections, from the port
# of host 3. What it does follows from $SEED, as far as it finds the same connections.
#
# shellcheck disable=SC2034,SC2154 # for the tests; from ../lib.sh and cmpeer.sh

declare -A did=()

# any WORD...: sets picked to one of them
any()
{
	local words=("$@")

	picked=${words[RANDOM % $#]}
}

# octets N: sets picked to so many, any, in hexadecimal
octets()
{
	local i

	picked=
	for ((i = 0; i < $1; i++)); do
		printf -v picked '%s%02x' "$picked" $((RANDOM & 255))
	done
}

# does COMMAND OPTION...: counted if it was taken
does()
{
	# A device that is busy with something else may refuse, which is as well.
	{ cmpeer "$@" && did[$1]=$((${did[$1]:-0} + 1)); } 2> /dev/null
	return 0
}

# one: of the connections that there may be
one()
{
	picked=id=$((1 + RANDOM % (1 + 2 * ${did[open]:-0})))
}

asks()
{
	local options=("qpn=$((0x100 + RANDOM % 64))" "count=$((1 + RANDOM % 3))")

	any rc rc uc
	options+=("transport=$picked")
	any rtu rtu rtu silent rej:28 rej:$((RANDOM % 40))
	options+=("answer=$picked")
	any 0 16 18 24 31
	options+=("timeout=$picked")
	any 0 1 8 32
	options+=("recv=$picked" "rnr=$((RANDOM & 7))" "retries=$((RANDOM & 15))")
	any 0 0 0 1
	options+=("mute=$picked")
	any 0 0 0 1
	options+=("fake=$picked")
	any rfc rfc rfc linux
	options+=("service=$picked")
	any 65524 65524 65524 68 72 2048 0xffffffff $RANDOM
	options+=("mtu=$picked")
	any 0xffff 0xffff 0xffff 0x7fff 0x8001
	options+=("pkey=$picked")
	if [ $((RANDOM % 8)) -eq 0 ]; then
		octets $((RANDOM % 93))
		options+=("data=${picked:-none}")
	fi
	does open "dev=$rdma3" "to=$addr1" "${options[@]}"
}

says()
{
	local options=("attr=$((0x10 + RANDOM % 11))")

	if [ $((RANDOM % 5)) -gt 0 ]; then
		one
		options+=("$picked")
	fi
	octets $((RANDOM % 93))
	does say "dev=$rdma3" "to=$addr1" "${options[@]}" "data=${picked:-none}"
}

# Any EtherType, or one that is known, with any octets behind it
sends()
{
	local options=("count=$((1 + RANDOM % 20))") header

	any 0800 86dd 0806 8035 88ca "$(printf %04x $((RANDOM * 2 + (RANDOM & 1))))"
	header=$picked
	octets $((RANDOM % 60))
	options+=("data=$header$picked")
	any $((RANDOM % 64)) $((RANDOM % 2100)) $((RANDOM * 2)) $((RANDOM * 2)) 65524 65536
	does send "${options[@]}" "size=$picked"
}

answers_late()
{
	local answer

	any rtu rtu silent rej:$((RANDOM % 40))
	answer=$picked
	one
	does reply "answer=$answer" "$picked"
}

ends_one()
{
	local how

	any close vanish forget take
	how=$picked
	one
	does "$how" "$picked"
}

# storm: $count things
storm()
{
	local i

	RANDOM=$SEED
	for ((i = 0; i < count; i++)); do
		any asks asks asks says says says sends sends answers_late ends_one ends_one
		"$picked"
	done
}

all_was_done()
{
	local what

	for what in open say send reply close vanish forget take; do
		echo "$what: ${did[$what]:=0}"
		[ "${did[$what]}" -gt 0 ] || return
	done
}

# storm_from_3: prepares one; host 1 keeps asking for connections to the port of host 3, of
# which each is answered in another way
storm_from_3()
{
	local n qpn answers=(rep silent rej:28 rej:8)

	addr1=$(lladdr "$h1") || return
	for ((n = 0; n < 4; n++)); do
		qpn=$((0x4000 + n))
		cmpeer listen "dev=$rdma3" "qpn=$qpn" "answer=${answers[n]}" "recv=$((n * 8))" &&
			knows "$h1" "10.0.0.10$n" "$(peer_lladdr 3 $qpn)" || return
	done
	# shellcheck disable=SC2016 # the shell in the namespace expands it
	ip netns exec "$h1" bash -c 'while :; do
		for n in 0 1 2 3; do ping -q -c 3 -i 0.1 -W 1 -s 3000 10.0.0.10$n; done
	done' > /dev/null 2>&1 &
	asking=$!
	defer end_job "$asking"
}
