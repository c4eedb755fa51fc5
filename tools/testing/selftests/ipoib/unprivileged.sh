#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# HCAs: not irdma, for they have no UC
#
# What can be read and written of an interface, by nobody and by the root of a user
# namespace that it was lent to: who may not is told so, and nothing changes.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# answered WHO ANSWER COMMAND: by what the command says when it fails, or ok
# shellcheck disable=SC2120 # check does that
answered()
{
	local said status

	said=$("as_$1" "$h1" bash -c "cd /sys/class/net/ib0; $3" 2>&1)
	status=$?
	echo "status $status: $said"
	[ $status -eq 0 ] && said=ok
	[[ $said == *"$2" ]]
}

# table WHO: of standard input, in each line an answer and a command
table()
{
	local answer command

	while IFS='|' read -r answer command; do
		read -r answer <<< "$answer"
		command=${command# }
		check "$1: $command: $answer" answered "$1" "$answer" "$command"
	done
}

# in_debugfs WHO COMMAND...: that has no namespaces
in_debugfs()
{
	case $1 in
	nobody) "${nobody[@]}" "${@:2}" ;;
	tenant) nsenter --target "$tenant" --user "${@:2}" ;;
	esac
}

# closed WHO FILE...: cannot be read nor written
closed()
{
	local file

	for file in "${@:2}"; do
		[ -e "$file" ] || { echo "no $file"; return 1; }
		# shellcheck disable=SC2016 # the shell that is started expands it
		in_debugfs "$1" bash -c 'echo 1 > "$0" || cat "$0"' "$file" 2>/dev/null && return 1
	done
	return 0
}

state()
{
	in_sysfs "$h1" sh -c 'cd /sys/class/net/ib0 && grep . pkey mode umcast mtu flags &&
		ip -d link show && ethtool -l ib0 && ethtool --show-priv-flags ib0'
}

unchanged()
{
	diff "$tmp/state" <(state)
}

plan 50
if on_ib; then
	ib_fabric 1
else
	setup two_ports
fi
setup tenant "$h1"
setup interface 1
setup eventually is_up "$h1"
state > "$tmp/state"

table nobody << END
ok                      | cat pkey mode umcast mtu address
ok                      | cat /sys/module/ipoib/parameters/kind
Permission denied       | echo x > /sys/module/ipoib/parameters/kind
Permission denied       | echo connected > mode
Permission denied       | echo 1 > umcast
Permission denied       | echo 0xffff > pkey
Permission denied       | echo 0x8001 > create_child
Permission denied       | echo 0x8001 > delete_child
Permission denied       | echo 2000 > mtu
Operation not permitted | ip link set ib0 down
Operation not permitted | ip link set ib0 mtu 2000
Operation not permitted | ip link set ib0 type ipoib mode connected
Operation not permitted | ip link set ib0 type ipoib umcast 1
Operation not permitted | ip link set ib0 netns $$
Operation not permitted | ip link del ib0
Operation not permitted | ip link add link ib0 name red type ipoib pkey 0xffff
Operation not permitted | ethtool -L ib0 other 10
Operation not permitted | ethtool -G ib0 rx 128
Operation not permitted | ethtool --set-priv-flags ib0 uc off
ok                      | ip -s -d link show ib0
ok                      | ethtool -i ib0
ok                      | ethtool -g ib0
ok                      | ethtool -l ib0
ok                      | ethtool -S ib0
ok                      | ethtool --show-priv-flags ib0
END
check "nobody: debugfs" closed nobody "$debug/objects" "$debug"/*.*/*
check "nothing has changed" unchanged

table tenant << END
Permission denied       | echo x > /sys/module/ipoib/parameters/kind
Permission denied       | echo 0xffff > pkey
Operation not permitted | ip link set ib0 netns 1
Operation not permitted | ethtool -L ib0 other 65
Operation not permitted | ethtool -G ib0 rx 512
Device or resource busy | ip link set ib0 address \$(sed 's/0\$/1/; t; s/.\$/0/' address)
END
check "tenant: debugfs" closed tenant "$debug/objects" "$debug"/*.*/*
check "nothing has changed" unchanged

table tenant << END
ok                      | echo connected > mode && ip link set ib0 type ipoib mode datagram
ok                      | echo 1 > umcast && ip link set ib0 type ipoib umcast 0
ok                      | ip link set ib0 mtu 2000
ok                      | ethtool --set-priv-flags ib0 uc off
ok                      | ethtool --set-priv-flags ib0 multicast-to-broadcast on
ok                      | ethtool --set-priv-flags ib0 sl-of-broadcast on
ok                      | ethtool -L ib0 other 10
ok                      | ethtool -L ib0 other 64
ok                      | ethtool -G ib0 rx 128 tx 64
ok                      | ethtool -G ib0 rx 256 tx 256
END
check "the host allows more connections" in_ns "$h1" ethtool -L ib0 other 100
table tenant << END
Operation not permitted | ethtool -L ib0 other 101
ok                      | ethtool -L ib0 other 90
Operation not permitted | ethtool -L ib0 other 100
END
setup ip -n "$h1" link set ib0 mtu 4092
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 up
check "it works" eventually is_up "$h1"
