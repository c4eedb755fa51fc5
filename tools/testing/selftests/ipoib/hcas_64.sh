#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# 64 HCAs, 64 interfaces, all of which talk to one.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

many=$(much 64)

# each COMMAND...: with the number of each host
each()
{
	local n

	for ((n = 1; n <= many; n++)); do
		"$@" $n || return
	done
}

name_host()
{
	printf -v "h$1" 'ipoib-%d-%d' "$id" "$1"
	printf -v "rdma$1" 'ibdevsim%d' $(($1 - 1))
}

# all_up: none is in another state, and a carrier belongs to that
all_up()
{
	set -- "$debug"/*/status
	echo "$# interfaces"
	[ $# -eq "$many" ] && ! grep -L '^state: up$' "$@" | grep .
}

reaches_first()
{
	local ns=h$1

	[ "$1" -eq 1 ] || eventually answers "${!ns}" 10.0.0.1
}

plan 3
ib_fabric "$many"
each name_host
# shellcheck disable=SC2046 # numbers
setup host $(each echo)
check "all come up" eventually all_up
check "each finds the first" each reaches_first
check "the first knows them all" \
	[ "$(ip -n "$h1" neigh show | grep -c lladdr)" -ge $((many - 1)) ]
