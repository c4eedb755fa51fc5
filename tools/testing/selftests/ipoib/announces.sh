#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When its link address changes an interface tells its neighbours: by gratuitous ARP and
# unsolicited neighbour advertisement.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# knows_as NS ADDRESS LLADDR: as what the neighbour has said of itself
knows_as()
{
	ip -n "$1" neigh show to "$2" dev ib0 | grep "lladdr $3 "
}

plan 5
two_hosts
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2
setup knows_as "$h2" 10.0.0.1 "$(lladdr "$h1")"
setup capture "$eth2"
setup mode connected 1
address=$(lladdr "$h1")
check "another mode is another address" [ "${address%%:*}" = c0 ]
check "neighbours know, by ARP" eventually knows_as "$h2" 10.0.0.1 "$address"
check "and by neighbour discovery" eventually knows_as "$h2" fd00::1 "$address"
decode 'arp || icmpv6.type == 136' arp.src.proto_ipv4 arp.dst.proto_ipv4 arp.src.hw \
	icmpv6.nd.na.target_address icmpv6.nd.na.flag.s > "$tmp/told"
note "$(cat "$tmp/told")"
check "gratuitous ARP" grep -P "^10.0.0.1\t10.0.0.1\t" "$tmp/told"
check "unsolicited advertisement" grep -P "\tfd00::1\t(0|False)$" "$tmp/told"
