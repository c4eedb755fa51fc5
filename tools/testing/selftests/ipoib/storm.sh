#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Also: kcsan
#
# Interfaces are made, changed, moved and deleted at random, by root and by a tenant at the
# same time, while ports come and go. Whatever that does to them: who makes new ones then
# has interfaces as good as ever.
#
# SEED       what each of the processes does follows from it (1)
# STORM      so many things, by either (2000)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# storm SEED [COMMAND...]: by one whom the command makes of root, and who may not be able to
# read where the test is
storm()
{
	within 200 "${@:2}" perl - "$1" "$count" "$tenant" < "$here/lib/storm.pl"
}

# storms: both, and each comes to its end
storms()
{
	local theirs

	storm $((2 * SEED)) ip netns exec "$h1" nsenter --target "$tenant" --user \
		> "$tmp/theirs" 2>&1 &
	theirs=$!
	storm $((2 * SEED + 1)) > "$tmp/ours" 2>&1 && wait $theirs && return
	cat "$tmp/ours" "$tmp/theirs"
	return 1
}

# some_taken: of the messages that root has sent
some_taken()
{
	! grep -v ' netlink [1-9]' "$tmp/ours"
}

# new_ports: of what there was only the first one stays, which the subnet manager is on
new_ports()
{
	local n

	for ((n = 1; n < 16; n++)); do
		[ ! -e "$ibdevsim/ibdevsim$n" ] ||
			echo $n > /sys/devices/ibdevsim/del_hca || return
	done
	echo 2 > /sys/devices/ibdevsim/new_hca
}

plan 5
count=$(much "${STORM:-2000}")
note "SEED=${SEED:=1}"
ib_fabric 3
setup tenant "$h1"
h2=$h1 setup interface 2
check "a storm" storms
note "root" "$(< "$tmp/ours")" "the tenant" "$(< "$tmp/theirs")"
check "some of it was taken" some_taken
setup end_job "$tenant"
setup ip netns del "$h1"
check "all ports are replaced" new_ports
# shellcheck disable=SC2034 # for the library
rdma2=ibdevsim1 rdma3=ibdevsim2
# OpenSM does not look when the same link has changed for the tenth time in a row.
setup reload_sm sm1
setup eventually ports_are ACTIVE ibdevsim1 ibdevsim2
setup host 2 3
check "new interfaces come up" eventually is_up "$h2"
check "and reach each other" eventually ping_all "$h2" 10.0.0.3 -w 2
