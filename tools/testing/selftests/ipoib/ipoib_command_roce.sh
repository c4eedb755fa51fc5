#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# On RoCE the command ipoib says of the path to a peer what packets have there: the MAC address and
# the hop limit. It has neither a LID nor a service level.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 2
setup for_nobody
two_hosts
setup capture "$eth2"
setup eventually ping_each "$h1" 10.0.0.2
decode 'icmp.type == 8' eth.dst "$to_hops" | sort -u > "$tmp/wire"
read -r mac hops < "$tmp/wire"
check "all requests go the same way" [ "$(wc -l < "$tmp/wire")" -eq 1 ]
check "that is what the command says" \
	tells "^$(lladdr "$h2") state ready dmac $mac hop_limit $hops mtu 4092" peers ib0
