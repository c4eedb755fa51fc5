#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes over the wire, seen by tshark: UD sends only, with the link's Q_Key
# and P_Key, and a header whose reserved bits are zero (RFC 4391, 6). Group packets
# stay on the link.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all COLUMN REGEX [FILE]: each packet is like that in this column
all()
{
	awk -F '\t' -v c="$1" -v r="^($2)\$" \
		'$c !~ r { print; bad = 1 } END { exit bad || !NR }' "${3:-$tmp/packets}"
}

# unicast_to HOST...: there are packets to the port of each
unicast_to()
{
	local n

	for n; do
		grep -P "\t$(address_on_wire "$n")$" "$tmp/packets" || return
	done
}

qpn()
{
	lladdr "$1" | cut -d: -f2-4 | tr -d : | sed 's/^0*//'
}

# RoCE: group packets have a hop limit of 1, whatever it is that brings them on.
hops=1 qkey=80000b1b
! on_ib || hops=0 qkey=b1b

plan 10
two_hosts
setup capture "$eth2"
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2
in_ns "$h1" ping -q -b -c 3 -i 0.2 10.0.0.255 > /dev/null 2>&1

# Those of the management queue pairs are not ours.
decode 'infiniband.bth.destqp > 1' infiniband.bth.opcode infiniband.deth.q_key \
	infiniband.bth.p_key infiniband.deth.srcqp infiniband.bth.destqp \
	"$to_hops" "$to_class" infiniband.payload "${to[@]}" |
	sed 's/^\(\([^\t]*\t\)\{7\}[^\t]\{8\}\)[^\t]*/\1/' > "$tmp/packets"
note "$(wc -l < "$tmp/packets") packets"
grep -P '\tff12:' "$tmp/packets" > "$tmp/groups"
awk -F '\t' -v hops=$hops '$5 != "0xffffff" || $6 != hops' "$tmp/groups" \
	> "$tmp/bad-groups"

check "there is unicast, both ways" unicast_to 1 2
check "there are groups" [ -s "$tmp/groups" ]
check "each is a UD send" all 1 100
check "the link's Q_Key" all 2 "0x0*$qkey"
check "P_Key 0xffff" all 3 '65535|0xffff'
check "each to a group comes from the queue pair that the address names" \
	all 4 "0x0*($(qpn "$h1")|$(qpn "$h2"))" "$tmp/groups"
check "to GIDs and groups of the link" all 9 '|fe80:.*|ff12:[46]01b:ffff:.*'
check "traffic class 0" all 7 '|0|0x0+'
check "groups: QPN 0xffffff, hop limit $hops" [ ! -s "$tmp/bad-groups" ]
check "header: EtherType and zero" all 8 '(0800|0806|86dd)0000'
