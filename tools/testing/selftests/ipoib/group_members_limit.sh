#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# However many groups a program joins, who may nothing else, the table has a limit, of which
# the log tells once, and the host can be reached by an address that it gets afterwards.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

expected='more than [0-9]+ groups'

# join FIRST N: 239.0.0.0 and FIRST on, and as many of IPv6 that look like those by which
# addresses are found; is a member until it is ended
join()
{
	: > "$tmp/joined$1"
	chmod 666 "$tmp/joined$1"
	# shellcheck disable=SC2016 # perl expands it
	as_nobody "$h1" perl -MSocket -e '
		my ($index, $first, $n, $done) = @ARGV;
		for my $i ($first .. $first + $n - 1) {
			unless (@four % 20) {
				($four, $six) = ();
				socket $four, PF_INET, SOCK_DGRAM, 0 or die $!;
				socket $six, PF_INET6, SOCK_DGRAM, 0 or die $!;
				push @open, $four, $six;
			}
			push @four, $i;
			setsockopt $four, 0, 35, pack "N x4 l", 0xef000000 + $i, $index
				or die "IPv4, $i: $!";
			setsockopt $six, 41, 20, pack "n x9 C N L", 0xff02, 1,
				0xff000000 + $i, $index or die "IPv6, $i: $!";
		}
		open DONE, ">", $done or die $!;
		print DONE $$;
		close DONE;
		sleep;' "$(index)" "$1" "$2" "$tmp/joined$1" &
	# Some thousand calls, each of which takes RTNL
	busywait $((3 * patience)) [ -s "$tmp/joined$1" ] && defer end_job "$(< "$tmp/joined$1")"
}

index()
{
	in_sysfs "$h1" cat /sys/class/net/ib0/ifindex
}

members()
{
	grep -cw 'flags=member\(,attached\)*' "$debug/$rdma1.1.ffff/groups"
}

full()
{
	members
	kernel_log | grep 'ib0: more than [0-9]* groups, some are not joined'
}

# told TIMES
told()
{
	full
	[ "$(full | grep -c more)" = "$1" ]
}

plan 7
two_hosts
limit=$(status "$rdma1" group_limit)
chmod 711 "$tmp"
must "there is a limit" [ "${limit:-0}" -gt 0 ]
setup join 1 "$limit"
check "so many are not joined" eventually full
for n in 1 2 3; do
	setup join $((limit + n)) 1
	setup ip -n "$h1" addr add "fd00::a:$n/64" dev ib0
done
check "the host is reached by an address that it gets then" \
	eventually ping_all "$h2" fd00::a:3 -w 2
check "and by IPv4" ping_all "$h2" 10.0.0.1
setup ip -n "$h1" addr add 224.0.0.251/32 dev ib0 autojoin
check "a group of 224.0.0.0/24 has a place" eventually is_member "$rdma1" ff12:401b:ffff::fb
check "the limit is kept" [ "$(members)" -le "$limit" ]
check "and the log has said so once" told 1
