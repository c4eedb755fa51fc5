#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: it reads the statistics of lockdep
# Kernel: lockstat, for that knows from which CPU each lock comes
#
# Two CPUs that send by a channel each, or by connections of a bundle each, take no lock that the
# other one takes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/locks.sh
. "$here/lib/locks.sh"

peers=8
packets=2000
# What is no packet's, such as a question for an address, may take a lock on any CPU.
few=$((packets / 20))

# datagrams_are_taken: those that come to host 2
datagrams_are_taken()
{
	background ip netns exec "$h2" socat -u UDP4-RECV:9 /dev/null
	eventually receives "$h2" 9
}

# about PEER KEY: what host 1 says of its connection to it
about()
{
	local address line

	address=$(lladdr "$h2" "p$1")
	find_connections 1 state=established > /dev/null
	for line in "${found[@]}"; do
		[[ $line != *"${address#*:}"*\ $2=* ]] || sed "s/.* $2=//; s/ .*//" <<< "$line"
	done
}

# find_another: sets $another to a peer whose connection is in another bundle than that of peer 1
find_another()
{
	local first second

	first=$(about 1 bundle)
	for ((another = 2; another <= peers; another++)); do
		second=$(about $another bundle)
		[ -n "$first" ] && [ -n "$second" ] || return
		[ "$first" = "$second" ] || return 0
	done
	return 1
}

# sent_by channels|bundles: by the first of the two, and by the second
sent_by()
{
	if [ "$1" = channels ]; then
		counter "$h1" tx0_packets red && counter "$h1" tx1_packets red
	else
		about 1 sent && about "$another" sent
	fi
}

# send_by channels|bundles PEER: two CPUs send to peer 1 and this one, and each of the two has sent
# the packets of one
send_by()
{
	local before after i n

	mapfile -t before < <(sent_by "$1")
	send_in_turn "$h1" 10.1.0.101 10.1.0.$((100 + $2)) $packets || return
	mapfile -t after < <(sent_by "$1")
	for i in 0 1; do
		n=$((after[i] - before[i]))
		echo "$n packets"
		((n >= packets && n < packets + few)) || return
	done
}

# shellcheck disable=SC2034 # who makes the interface uses it
queues=4 pkey=8001
plan 9
partitions+=$red
ib_hosts 2
setup child 1 0x8001 red
setup child_addresses 1 red
setup siblings $peers
setup datagrams_are_taken
setup eventually is_up "$h1" red
setup eventually siblings_answer $peers

check "two CPUs send by a channel each" count_locks send_by channels 2
check "the pipes that they share come from the other CPU" crossed '&pipe->mutex' $packets
check "a TX lock is taken for each packet" taken _xmit_INFINIBAND $((2 * packets))
check "no lock of the driver comes from the other CPU" ours_crossed_less $few

setup ip -n "$h1" link set red type ipoib mode connected
setup eventually siblings_answer $peers
must "some peers have connections in different bundles" eventually find_another
check "two CPUs send by a bundle each" count_locks send_by bundles "$another"
check "the pipes that they share come from the other CPU" crossed '&pipe->mutex' $packets
check "the lock of a bundle is taken for each packet" taken '&bundles[i].lock' $((2 * packets))
check "no lock of the driver comes from the other CPU" ours_crossed_less $few
