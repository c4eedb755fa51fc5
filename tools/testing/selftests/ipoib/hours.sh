#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: it takes hours
# Kernel: virtual, for it takes four hours
#
# Two hosts that talk once a minute: for an hour, for one without a subnet manager, and for one by
# connections. Then for an hour they do not, and what they knew is forgotten.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

group=239.1.2.3
mgid=ff12:401b:ffff::f01:203

# once_a_minute NS ADDRESS [OPTION...]: for an hour, and each is answered. It is not ping who
# waits, for its clock begins with 0 now and then, which it takes for none
once_a_minute()
{
	local i

	for ((i = 0; i < 60; i++)); do
		in_ns "$1" ping -q -c 1 -W 20 "${@:3}" "$2" || return
		sleep 60
	done
}

# all_hour [OPTION...]: both of them, by either protocol
all_hour()
{
	local job

	once_a_minute "$h2" fd00::1 "$@" &
	job=$!
	once_a_minute "$h1" 10.0.0.2 "$@" && wait $job
}

# count_questions: from now on, those that host 2 asks for paths
count_questions()
{
	ib_knob mad_rules '' && ib_knob mad_rules "class=3 method=1 attr=0x35 from=$rdma2"
}

# questions_are MIN MAX
questions_are()
{
	local count

	read -r _ count _ < "$ibdevsim/mad_rules"
	echo "$count questions"
	[ "$count" -ge "$1" ] && [ "$count" -le "$2" ]
}

# within SECONDS COMMAND...: comes true in so much time of the machine's
within()
{
	local begin=$SECONDS

	eventually "${@:2}" || return
	echo "after $((SECONDS - begin)) s"
	[ $((SECONDS - begin)) -le "$1" ]
}

plan 12
ib_hosts 3
setup count_questions
check "for an hour all are answered" all_hour
check "paths were asked for every four or five minutes" questions_are 10 16

setup kill_sm sm1
check "for an hour without a subnet manager, too" all_hour
check "both have a carrier" is_up "$h1"
setup start_sm sm1
setup within 60 subnet_is_up sm1
check "a minute after it is back there are new ways" \
	within 60 ping_all "$h1" 10.0.0.3 -c 1 -w 2

setup connected "rc uc" 1 2
setup by_connection 1 60000 large "$h1" 10.0.0.2
check "for an hour by connections" by_connection 1 500000 all_hour -s 9000
check "by one and the same" has_connections 1 1

setup ip -n "$h1" route add 239.0.0.0/8 dev ib0
background ip netns exec "$h3" socat -u "UDP4-RECV:5000,ip-add-membership=$group:ib0" /dev/null
setup eventually is_member "$rdma3" $mgid
setup send_udp "$h1" $group 5000 1
setup eventually is_sender "$rdma1" $mgid
sleep 3600
check "an idle connection is closed" has_connections 1 0
check "an idle group is left" not is_sender "$rdma1" $mgid
check "idle peers are forgotten" [ "$(status "$rdma1" peers)" -le 2 ]
check "and found again" ping_all "$h1" 10.0.0.2
check "and connections are made again" by_connection 1 300000 large "$h1" 10.0.0.2
