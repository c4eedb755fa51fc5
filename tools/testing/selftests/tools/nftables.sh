#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernel: stock, for our own have no nftables
#
# nftables on an interface: at the device itself, before and behind IP, by connection tracking,
# and as it sends; in either mode.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# rules: from here on those that come in
rules()
{
	on 1 nft -f -
}

# counted FAMILY TABLE CHAIN: packets that were
counted()
{
	on 1 nft list chain "$@" | tee -a /dev/stderr | grep -E "counter packets [1-9]"
}

# refused PORT: host 1 says so of it at once, by the rules
refused()
{
	in_ns "$h2" socat -u OPEN:/dev/null "TCP4:10.0.0.1:$1,connect-timeout=5" 2>&1 |
		tee -a /dev/stderr | grep -q refused && counted inet host in
}

# dropped: what host 1 sends to that port, at its device
dropped()
{
	send_udp "$h1" 10.0.0.2 9 1 && counted netdev ib out
}

# tracked: packets of a connection that host 1 has begun
tracked()
{
	reaches 1 10.0.0.2 && counted inet host established
}

# unanswered: host 1 would answer, if it were not for the rules
unanswered()
{
	not in_ns "$h2" ping -q -c 2 -W 1 10.0.0.1
}

needs nft
plan 12
setup modules nf_tables
ib_hosts 2
machine 1
for mode in datagram connected; do
	[ $mode = datagram ] || {
		setup connected rc 1 2
		setup eventually by_connection 2 ping_all "$h2" 10.0.0.1 -w 2
	}
	setup reaches 2 10.0.0.1
	setup rules <<- END
		table netdev ib {
			chain in {
				type filter hook ingress device ib0 priority 0
				ip saddr 10.0.0.2 icmp type echo-request counter drop
			}
			chain out {
				type filter hook egress device ib0 priority 0
				ip daddr 10.0.0.2 udp dport 9 counter drop
			}
		}
		table inet host {
			chain in {
				type filter hook input priority 0
				iifname ib0 tcp dport 9 counter reject with tcp reset
			}
			chain established {
				type filter hook input priority 1
				iifname ib0 ct state established counter
			}
		}
	END
	check "$mode: what comes in is dropped" unanswered
	check "$mode: that is counted" counted netdev ib in
	check "$mode: what goes out, too" dropped
	check "$mode: a segment is refused" refused 9
	check "$mode: connections are tracked" tracked
	setup on 1 nft flush ruleset
	check "$mode: without rules all passes" reaches 2 10.0.0.1
done
