#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When its link address changes an interface tells its neighbours: by gratuitous ARP and
# unsolicited neighbour advertisement, four times each.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

is_another()
{
	[ "$(lladdr "$h1")" != "$old" ] && is_up "$h1"
}

# knows_as NS ADDRESS LLADDR: as what the neighbour has said of itself
knows_as()
{
	ip -n "$1" neigh show to "$2" dev ib0 | grep "lladdr $3 "
}

# tells N WHAT: host 1 does, so often, and the first may be lost on its way
tells()
{
	cat "$tmp/background.log"
	[ "$(grep -cw "$2" "$tmp/background.log")" -eq "$1" ]
}

gratuitous='arp[28:4] == 0x0a000001 and arp[52:4] == 0x0a000001'
# Not an answer, to a neighbour that probes
advertised='ip6[40] == 136 and ip6[44] & 0x40 == 0 and ip6[48:4] == 0xfd000000 and ip6[60:4] == 1'
plan 7
two_hosts
setup ping_all "$h1" 10.0.0.2
setup ping_all "$h1" fd00::2
old=$(lladdr "$h1")
setup knows_as "$h2" 10.0.0.1 "$old"
setup capture "$eth2"
background ip netns exec "$h1" tcpdump -l -n -i ib0 \
	"($gratuitous) or (icmp6 and $advertised)"
setup eventually grep listening "$tmp/background.log"
setup readdress
check "the address is another one" eventually is_another
address=$(lladdr "$h1")
check "neighbours know, by ARP" eventually knows_as "$h2" 10.0.0.1 "$address"
check "and by neighbour discovery" eventually knows_as "$h2" fd00::1 "$address"
check "four times, by ARP" eventually tells 4 ARP
check "and by neighbour discovery" eventually tells 4 ICMP6
decode 'arp || icmpv6.type == 136' arp.src.proto_ipv4 arp.dst.proto_ipv4 arp.src.hw \
	icmpv6.nd.na.target_address icmpv6.nd.na.flag.s > "$tmp/told"
note "$(cat "$tmp/told")"
check "gratuitous ARP" grep -P "^10.0.0.1\t10.0.0.1\t" "$tmp/told"
check "unsolicited advertisement" grep -P "\tfd00::1\t(0|False)$" "$tmp/told"
