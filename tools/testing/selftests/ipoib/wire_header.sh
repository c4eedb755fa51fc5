#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes over the wire, seen by tcpdump and tshark: UD sends only, with the
# link's Q_Key and P_Key, and a header whose reserved bits are zero (RFC 4391,
# 6). Group packets stay on the link.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# all COLUMN REGEX: each packet is like that in this column
all()
{
	awk -F '\t' -v c="$1" -v r="^($2)\$" \
		'$c !~ r { print; bad = 1 } END { exit bad || !NR }' "$tmp/packets"
}

qpn()
{
	lladdr "$1" | cut -d: -f2-4 | tr -d : | sed 's/^0*//'
}

plan 10
two_hosts
setup capture "$eth2"
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2
in_ns "$h1" ping -q -b -c 3 -i 0.2 10.0.0.255 > /dev/null 2>&1

# Base and Datagram Extended Transport Header are 20 octets.
decode infiniband infiniband.bth.opcode infiniband.deth.q_key \
	infiniband.bth.p_key infiniband.deth.srcqp infiniband.bth.destqp \
	ipv6.dst ipv6.hlim ipv6.tclass udp.payload |
	sed 's/\t[^\t]\{40\}\([^\t]\{8\}\)[^\t]*$/\t\1/' > "$tmp/packets"
note "$(wc -l < "$tmp/packets") packets"
awk -F '\t' '$6 ~ /^ff/ && $5 != "0xffffff" || $7 != 1 && $6 ~ /^ff/' \
	"$tmp/packets" > "$tmp/bad-groups"

check "there is unicast" grep -P '\tfe80:' "$tmp/packets"
check "there are groups" grep -P '\tff12:' "$tmp/packets"
check "each is a UD send" all 1 100
check "Q_Key of RoCE" all 2 '0x(00000000)?80000b1b'
check "P_Key 0xffff" all 3 '65535|0xffff'
check "each comes from the queue pair that the address names" \
	all 4 "0x0*($(qpn "$h1")|$(qpn "$h2"))"
check "to GIDs and groups of the link" \
	all 6 'fe80:.*|ff12:[46]01b:ffff:.*'
check "traffic class 0" all 8 '0x0+'
check "groups: QPN 0xffffff, hop limit 1" [ ! -s "$tmp/bad-groups" ]
check "header: EtherType and zero" all 9 '(0800|0806|86dd)0000'
