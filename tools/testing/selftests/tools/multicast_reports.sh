#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IGMPv3 and MLDv2: a program that joins a group, of all senders or of one, is reported to those
# who are in the groups of reports, as routers and switches are.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# hears TEXT: so tcpdump on host 2
hears()
{
	cat "$tmp/background.log"
	grep -qF -e "$1" "$tmp/background.log"
}

# program COMMAND...: of host 1, which joins a group
program()
{
	timeout "$minute" ip netns exec "$h1" "$@" &
	defer end_job $!
}

plan 3
ib_hosts 2
setup ip -n "$h2" addr add 224.0.0.22/32 dev ib0 autojoin
setup ip -n "$h2" addr add ff02::16/128 dev ib0 autojoin
# An MLD report has a header before that of ICMPv6.
background ip netns exec "$h2" tcpdump -n -vv -l -i ib0 igmp or ip6
setup eventually hears listening
program socat -u UDP4-RECV:5001,ip-add-membership=239.1.2.3:ib0 /dev/null
check "IGMPv3: a group" eventually hears "[gaddr 239.1.2.3 to_ex { }]"
# IP_ADD_SOURCE_MEMBERSHIP
# shellcheck disable=SC2016 # perl's
program perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0) or die;
	setsockopt(S, 0, 39, join("", map { inet_aton($_) } @ARGV)) or die; sleep' \
	239.1.2.4 10.0.0.1 10.0.0.2
check "of one sender" eventually hears "[gaddr 239.1.2.4 allow { 10.0.0.2 }]"
program socat -u "UDP6-RECV:5003,ipv6-join-group=[ff05::123]:ib0" /dev/null
check "MLDv2: a group" eventually hears "[gaddr ff05::123 to_ex { }]"
