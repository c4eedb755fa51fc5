# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A storm: root and a tenant do things at random to interfaces, at the same time, while ports come
# and go.
#
# SEED       what each of the processes does follows from it (1)
# STORM      so many things, by either (2000)
#
# shellcheck disable=SC2154 # from ../lib.sh

: "${SEED:=1}" "${STORM:=2000}"

# where_it_storms: a fabric, a tenant and an interface
where_it_storms()
{
	note "SEED=$SEED"
	ib_fabric 3
	setup tenant "$h1"
	h2=$h1 setup interface 2
}

# storm SEED [COMMAND...]: by one whom the command makes of root, and who may not be able to
# read where the test is
storm()
{
	within 200 "${@:2}" perl - "$1" "$(much "$STORM")" "$tenant" "$nth" < "$here/lib/storm.pl"
}

# storms [NTH]: both, with what storm.pl has that for; and each comes to its end
storms()
{
	local ours theirs nth=${1-}

	storm $((2 * SEED)) ip netns exec "$h1" nsenter --target "$tenant" --user \
		> "$tmp/theirs" 2>&1 &
	theirs=$!
	storm $((2 * SEED + 1)) > "$tmp/ours" 2>&1
	ours=$?
	wait $theirs && [ $ours = 0 ] && return
	cat "$tmp/ours" "$tmp/theirs"
	return 1
}

# some_taken ours|theirs: of the messages that each process of root's has sent, or of the tenant's
some_taken()
{
	[ -s "$tmp/$1" ] && ! grep -v ' netlink [1-9]' "$tmp/$1"
}

# said_in_storm: what either has done
said_in_storm()
{
	note "root" "$(< "$tmp/ours")" "the tenant" "$(< "$tmp/theirs")"
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

# all_is_well_again: three results
all_is_well_again()
{
	setup end_job "$tenant"
	setup ip netns del "$h1"
	check "all ports are replaced" new_ports
	# shellcheck disable=SC2034 # for the library
	rdma2=ibdevsim1 rdma3=ibdevsim2
	# OpenSM does not look when the same link has changed for the tenth time in a row, and may
	# have lost messages without which it waits for ever.
	setup kill_sm sm1
	setup start_sm sm1
	setup eventually ports_are ACTIVE ibdevsim1 ibdevsim2
	setup host 2 3
	check "new interfaces come up" eventually is_up "$h2"
	check "and reach each other" eventually ping_all "$h2" 10.0.0.3 -w 2
}
