#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# What is in the messages of the connection manager, seen by tshark: service ID and,
# in each of them, UD queue pair and receive MTU (RFC 4755, 3.5 and 6).

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# private N: what host N has in its private data
private()
{
	local ns=h$1

	echo "00$(lladdr "${!ns}" | cut -d: -f2-4 | tr -d :)0000fff4"
}

# carries MESSAGE N: each has the private data of that host, and nothing else
carries()
{
	values "infiniband.cm.$1.private" | tr -d : | sed 's/0*$//' |
		diff - <(private "$2")
}

# all FIELD VALUE: each has that one
all()
{
	values "$1" | diff - <(echo "$2")
}

# tshark takes seconds: it is asked for all of them once
fields=(infiniband.cm.req.serviceid infiniband.cm.req.transpsvctype
	infiniband.cm.{req,rep,rtu,rej}.private infiniband.cm.rej.reason)

# values FIELD: those that occur
values()
{
	local i

	for i in "${!fields[@]}"; do
		[ "${fields[i]}" != "$1" ] ||
			cut -f $((i + 1)) "$tmp/fields" | grep . | sort -u
	done
}

# transports: in REQs, 0 is RC and 1 UC
transports()
{
	values infiniband.cm.req.transpsvctype | diff - <(printf '0x%02x\n' 0 1)
}

plan 9
two_hosts
service=0x0100000000$(lladdr "$h2" | cut -d: -f2-4 | tr -d :)
setup capture "$eth2"
for transport in UC RC; do
	setup connected ${transport,,} 1 2
	# A small ping first would have both ends ask, and one of them refuse.
	check "a connection, $transport" by_connection 1 60000 \
		eventually answers "$h1" 10.0.0.2 -s 60000
done
# The peer takes no RC, and asks for none.
setup mode datagram 2
setup offer uc 2
setup eventually has_no_connection 1
setup ping_all "$h1" 10.0.0.2
setup eventually has_no_connection 1
decode infiniband "${fields[@]}" > "$tmp/fields"

check "service ID of RFC 4755" all infiniband.cm.req.serviceid "$service"
check "REQ: of both transports" transports
check "REQ: private data of host 1" carries req 1
check "REP: that of host 2" carries rep 2
check "RTU: that of host 1" carries rtu 1
check "REJ: that of host 2" carries rej 2
# IBTA 12.6.7.2: invalid transport type.
check "REJ: reason 9" all infiniband.cm.rej.reason 0x0009
