#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# HCAs: not irdma, for they have one P_Key
#
# RDMA CM takes addresses of interfaces: it finds the way to one by the neighbour that
# we know, and who listens there by the interface that we say a request is for.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rdma_cm_ask=${OUTPUT:-$here}/rdma_cm_ask

# listener NS ADDRESS...: its process id is in $job
listener()
{
	# Of the one before
	rm -f "$tmp/background.log"
	background ip netns exec "$1" "$rdma_cm_ask" listen "${@:2}"
	eventually grep listening "$tmp/background.log"
}

# hears WHO|nobody ADDRESS [PKEY]: host 2 asks for the address. A listener there hears
# who asks, for what, and in which partition
hears()
{
	local said

	said=$(in_ns "$h2" "$rdma_cm_ask" ask "$2") || return
	echo "$said"
	[ "$said" = "$1${3:+ $2 $3}" ]
}

plan 11
partitions+=$red
setup modules rdma_ucm
ib_hosts 2
for n in 1 2; do
	setup child $n 0x8001 red
	setup child_addresses $n red
done
for ns in "$h1" "$h2"; do
	setup eventually is_up "$ns" red
done
# The RDMA core puts a question for an address into its queue after it has sent the ARP request,
# and sees an answer that comes in between only when the neighbour's state changes again.
for address in 10.0.0.1 fd00::1 10.1.0.1 fd01::1; do
	setup ping_all "$h2" $address
done

setup netns "$h3"
# Which is any IPv4 address, too.
setup listener "$h3" ::
check "in another namespace nobody hears it" hears nobody 10.0.0.1
check "nor by IPv6" hears nobody fd00::1
setup listener "$h1" ::
check "a listener on any address" hears 10.0.0.2 10.0.0.1 ffff
setup end_job "$job"
setup listener "$h1" 10.0.0.1 fd00::1 10.1.0.1 fd01::1
check "on an IPv4 address" hears 10.0.0.2 10.0.0.1 ffff
check "on an IPv6 address" hears fd00::2 fd00::1 ffff
check "on a child's IPv4 address" hears 10.1.0.2 10.1.0.1 8001
check "on a child's IPv6 address" hears fd01::2 fd01::1 8001

setup knows "$h2" 10.0.0.9 "$(lladdr "$h1")"
check "an address that nobody has" hears nobody 10.0.0.9
setup knows "$h2" 10.0.0.1 "$(lladdr "$h1")"
setup ip -n "$h1" link set ib0 down
check "an interface that is down" hears nobody 10.0.0.1
setup ip -n "$h1" link set ib0 up

# What has come by an interface from where no route by it leads is nobody's.
setup ip -n "$h2" route add 10.0.0.1 dev red src 10.0.0.2
check "the parent's address by way of the child" hears nobody 10.0.0.1
setup ip -n "$h2" route replace 10.0.0.1 dev red src 10.1.0.2
check "but from a neighbour of the child" hears 10.1.0.2 10.0.0.1 8001
