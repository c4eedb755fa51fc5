#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# A program has the reports of the subnet administrator that come to a port, and the
# interface cannot. It says so, comes up, and looks for groups itself; when the program has
# ended it has them again.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A program with libibumad does this: an agent for method 6 of class 3.
# shellcheck disable=SC2016 # perl expands them
take='
my ($device) = @ARGV;
open my $umad, "+<", "/dev/infiniband/$device" or die "$device: $!";
my $request = pack "L L4 C C C C3 C x", 0, 1 << 6, 0, 0, 0, 1, 3, 2, 0, 0, 0, 0;
ioctl $umad, 0xc01c1b01, $request or die "agent: $!";
$| = 1;
print "taken\n";
sleep;'

# takes_reports: of port 1, once the interface has let go
takes_reports()
{
	background perl -e "$take" "$umad"
	eventually eval "grep -q taken '$tmp/background.log' || ! kill -0 $job" &&
		grep taken "$tmp/background.log"
}

log_has()
{
	kernel_log | grep "$1"
}

# joins N: host 2 is a member of group N
joins()
{
	background ip netns exec "$h2" socat -u \
		"UDP4-RECV:500$1,ip-add-membership=239.1.2.$1:ib0" /dev/null
	eventually joined "$rdma2" ff12:401b:ffff::f01:20"$1" member
}

# follows N: the router, host 1, has heard of group N
follows()
{
	joined "$rdma1" ff12:401b:ffff::f01:20"$1" nonmember
}

# new_sm: everybody has to subscribe anew
new_sm()
{
	kill_sm sm1 && start_sm sm1 && eventually subnet_is_up sm1
}

plan 5
ib_hosts 2
for dir in /sys/class/infiniband_mad/umad*; do
	[ "$(< "$dir/ibdev")" != "$rdma1" ] || umad=${dir##*/}
done
setup ip -n "$h1" link set ib0 allmulticast on
setup ip -n "$h1" link set ib0 down
setup eventually takes_reports
taker=$job
setup ip -n "$h1" link set ib0 up
check "the log says so" eventually log_has "$rdma1: port 1: reports .* go to somebody else"
check "the interface comes up" eventually is_up "$h1"
check "the hosts reach each other" eventually ping_all "$h1" 10.0.0.2 -w 2
setup joins 1
setup new_sm
# Host 2 may join again after the first look.
check "groups are looked for" busywait $((patience + 60000)) follows 1
end_job "$taker"
setup new_sm
setup eventually is_up "$h1"
setup joins 2
check "the program has ended: a router hears of a new group by a report" eventually follows 2
