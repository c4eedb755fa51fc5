#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# YNL, the kernel's own program for generic netlink, asks the driver by our description of the
# family, which the kernel's schema allows. What it understands, attribute by attribute, is what ip,
# sysfs, ethtool, rdma, debugfs and the subnet administrator say; and it understands events.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

interface_of_ip()
{
	local pkey speed state link

	{ read -r pkey && read -r speed && read -r state; } < \
		<(on 2 cat /sys/class/net/ib0/{pkey,speed,operstate}) || return
	read -r -a link < <(ip -n "$h2" link show dev ib0 | tail -n 1 | tr -d :)
	paste -sd ' ' <<- END
		broadcast=${link[3]:8}
		connected=$connected
		connections=$(counter "$h2" connections)
		device=$rdma2
		fabric=InfiniBand
		fault=none
		gid=${link[1]:8}
		group-error=0
		groups=$(counter "$h2" groups)
		ifindex=$index
		lid=$(($(< "/sys/class/infiniband/$rdma2/ports/1/lid")))
		limited=0
		mtu=4092
		peers=$(counter "$h2" peers)
		pkey=$((pkey))
		port=1
		qpn=$((16#${link[1]:2:6}))
		recoveries=$(counter "$h2" qp_recoveries)
		speed=$speed
		state=$state
	END
}

counters_of_ethtool()
{
	in_ns "$h2" ethtool -S ib0 | sed -n "s/^ *\(.*\): \(.*\)/ifindex=$index name=\1 value=\2/p"
}

groups_of_debugfs()
{
	perl -MSocket=:all -ne '
		my ($mgid, $state, $is, $attached, $absent, $mlid, $failures, $error) =
			/^(\S+) \S+=(\w+) \S+=(\w+)(,\w+ed)?(,absent)? \S+=(\S+) \S+=(\d+) \S+=(\S+)/;
		printf "absent=%d attached=%d error=%d failures=%d ifindex=%d membership=%s " .
			"mgid=%s mlid=%d state=%s\n", !!$absent, !!$attached, $error, $failures,
			'"$index"', $is, unpack("H*", inet_pton(AF_INET6, $mgid)), hex $mlid, $state;
		' "$debug/$rdma2.1.ffff/groups"
}

# router: the SA says that the way to the host 10.0.0.9 is by host 1, at 20 Gbit/s, 40 routers at most
router()
{
	local gid=fec0000000000000000902c903001234 action

	for action in "set=96:$(printf %04x "$lid")000000000028" set=108:0003858692 answer; do
		ib_knob mad_rules "class=3 method=1 attr=0x35 match=64:$gid $action" || return
	done
	far=80001234$gid
	knows "$h2" 10.0.0.9 "$(sed 's/../&:/g; s/:$//' <<< "$far")" && send_udp "$h2" 10.0.0.9 9 1
}

qpn_of_connection()
{
	rdma res show qp link "$rdma2" | sed -n 's/.* lqpn \([0-9]*\) .* type RC .*/\1/p'
}

# down_and_up: for who listens may have begun to only now
down_and_up()
{
	ip -n "$h2" link set ib0 down && ip -n "$h2" link set ib0 up
}

# refused: an interface that is not of the driver, which is lo
refused()
{
	not asks on 2 --do interface-get --json '{"ifindex": 1}' > "$tmp/refused" && cat "$tmp/refused" &&
		grep "not an interface of ipoib.*'bad-attr': '.ifindex'" "$tmp/refused"
}

needs /usr/bin/python3 "$KERNEL_SOURCE/tools/net/ynl/pyynl/cli.py"
plan 12
ib_hosts 2
machine 2
index=$(on 2 cat /sys/class/net/ib0/ifindex)
lid=$(($(< "/sys/class/infiniband/$rdma1/ports/1/lid")))
connected=0
must "the schema allows the description" asks on 2 --validate
setup eventually ping_each "$h2" 10.0.0.1
must "all interfaces" eventually same interface_of_ip --dump interface-get
check "one interface" eventually same interface_of_ip --do interface-get
check "counters" eventually same counters_of_ethtool --dump counter-get
check "groups" eventually same groups_of_debugfs --dump group-get
setup router
check "a peer" eventually one_like "address=$far dlid=$lid failures=0 hop-limit=40 idle=[0-9]+ \
ifindex=$index mtu=4092 rate=20000 sl=3 state=ready waiting=0" --dump peer-get
setup offer rc 1 2
setup mode connected 2
connected=1
setup eventually by_connection 2 ping_each "$h2" 10.0.0.1
check "an interface in connected mode" eventually same interface_of_ip --do interface-get
peer=$(lladdr "$h1" | tr -d :)
check "a connection" eventually one_like "address=00${peer:2} age=[0-9]+ alternate=0 idle=[0-9]+ \
ifindex=$index link-checksums=0 migrations=0 mtu=65520 opened=1 qpn=$(qpn_of_connection) \
received=$(counter "$h2" conn_rx_packets) sent=$(counter "$h2" conn_tx_packets) service=rfc \
state=established transport=RC" --dump connection-get

asks daemon 2 --subscribe events
check "an interface goes down" eventually eval 'down_and_up && heard ".* fault=none .* \
reason=interface is administratively down .* state=down"'
setup ip -n "$h2" link add link ib0 name red type ipoib pkey 0x8001
setup ip -n "$h2" link set red up
check "it lacks a P_Key" eventually heard ".* fault=no-pkey .* pkey=32769 .* reason=P_Key .* state=waiting"
setup ib_knob drop_sa_dlid "$(($(< "/sys/class/infiniband/$rdma2/ports/1/lid")))"
setup down_and_up
check "the SA does not answer it" eventually heard ".* group-error=-110 .* reason=.* state=joining"
setup ib_knob drop_sa_dlid 0
setup ip -n "$h2" link del red
check "who asks about others is told which attribute is wrong" refused
