#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does a test fail that has to? Some do nothing wrong but for one thing, each a process of its
# own; of others there are only the results. Each is judged as those of make check are: by its
# own end, by who looks at the log after it, and by who counts.
#
# judged.sh CASE - one of the former
# shellcheck disable=SC2030,SC2154,SC2317	# called by name; of lib.sh; in subshells
set -u
cd "$(dirname "$0")" || exit 1
scripts=../../../../scripts

# --- what goes wrong -------------------------------------------------------------

nothing()
{
	ib_fabric 1
}

says()
{
	echo "$1" > /dev/kmsg
}

driver_gave_up()
{
	says "ibdevsim ib0: QP did not give its packets back"
}

pages_kept()
{
	says "page_pool_release_retry() stalled pool shutdown 3 inflight 60 sec"
}

gid_kept()
{
	says "infiniband rxe1: GID entry ref leak for dev rxe1 port 1 index 1 ref=2"
}

# The driver counts one more, which nobody will free. No function of it is exported.
object_kept()
{
	local function

	function=$(sed -n 's/^\([^ ]*\) . ipoib_object_created\t.*/0x\1/p' /proc/kallsyms)
	insmod "${PLANTED_KO:-test_modules/planted.ko}" fault=call function="$function" &&
		rmmod planted
}

object_kept_for_good()
{
	object_kept && rmmod ipoib
}

sm_ended()
{
	ib_fabric 1
	kill -KILL "${sm_pid[sm1]}" && wait "${sm_pid[sm1]}"
	[ ! -e "/proc/${sm_pid[sm1]}" ]
}

# In the name of a port, which does not know of it and will not leave
joined_for_good()
{
	local record

	ib_fabric 1
	record=ff12401bffff0000000000000000abcd
	record+=$(tr -d : < "/sys/class/infiniband/$rdma1/ports/1/gids/0")
	record+=00000b1b00008500ffff87000000000021000000
	ask_sa "$rdma1" 02 0038 130c7 "$record" && eventually sa_has ff12:401b:ffff::abcd
}

# Reports of groups that are made, likewise
subscribed_for_good()
{
	ib_fabric 1
	ask_sa "$rdma1" 02 0003 0 "$(printf %032xffff0000000001010042000001120000000004 0)" &&
		eventually subscribed
}

subscribed()
{
	saquery --smkey 1 -I > "$tmp/subscribed" && grep SubscriberGID "$tmp/subscribed"
}

# A SubnAdmDelete of a membership that does not say whose
sm_complains()
{
	ib_fabric 1
	ask_sa "$rdma1" 15 0038 0 '' && eventually grep ' ERR ' "$tmp/sm1/log"
}

if [ $# -gt 0 ]; then
	export FABRIC=ib
	# shellcheck source=../ipoib/lib.sh
	. ../ipoib/lib.sh
	plan 1
	check "it is done" "$1"
	exit
fi

# --- who judges it ---------------------------------------------------------------

# shellcheck source=../ipoib/lib/ktap.sh
. ../ipoib/lib/ktap.sh

# fails SAYING CASE: by its own end, which says why
fails()
{
	! ./judged.sh "$2" > "$tmp/log" 2>&1 && grep -E "^$1" "$tmp/log" && return
	cat "$tmp/log"
	return 1
}

# ended STATUS LINE...: as a test that ended so, and said that, is judged by who counts
ended()
(
	# shellcheck source=../../../../scripts/test-verdict.sh
	. "$scripts/test-verdict.sh"
	results=$tmp
	mkdir -p "$tmp/test"
	echo "$1" > "$tmp/test/status"
	printf '%s\n' "${@:2}" > "$tmp/test/log"
	! fails test
)

# again "PASSED FAILED" SECONDS STATUS...: so many are counted when a test has failed, and then
# ends so each time, after so long
again()
(
	# shellcheck source=../../../../scripts/test-verdict.sh
	. "$scripts/test-verdict.sh"
	results=$(mktemp -d -p "$tmp") seconds=$2
	unset ONCE EPOCHSECONDS
	EPOCHSECONDS=1
	one_machine()
	{
		[ -n "${ends-}" ] || return
		EPOCHSECONDS=$((EPOCHSECONDS + seconds))
		mkdir "$results/$3"
		echo "${ends%% *}" > "$results/$3/status"
		printf '1..1\nok 1 - a\n' > "$results/$3/log"
		ends=${ends#* }
	}
	ends='0 ' one_machine '' '' test
	ends="${*:3} "
	judge_suspect test
	[ -z "$ends" ] && [ "$passed $failed" = "$1" ]
)

log='# \| .*'
plan_is 23
workspace
note "expect: QP did not give its packets back" "expect: stalled pool shutdown" \
	"expect: GID entry ref leak" "expect: of [0-9]+ [a-z]+ objects were not freed: 1" \
	"no harm is done to the machine"
check "one that does nothing wrong passes" ./judged.sh nothing
check "what the driver says of itself" fails "$log QP did not give" driver_gave_up
check "pages that do not come back" fails "$log stalled pool" pages_kept
check "a GID that is held" fails "$log GID entry ref leak" gid_kept
IPOIB_PATIENCE=2000 \
	check "an object that is not freed" fails "not ok .* every object .* is freed" object_kept
rmmod ipoib
check "one that is not when the module goes" \
	fails "$log objects were not freed" object_kept_for_good
check "a group that is not left" fails "${log}PortGid\." joined_for_good
check "a subscription that stays" fails "${log}SubscriberGID\." subscribed_for_good
check "a subnet manager that ends" fails "# the subnet manager sm1 has ended" sm_ended
check "a subnet manager that complains" fails "# a subnet manager: .* ERR 1B" sm_complains
check "as many results as planned pass" ended 0 1..2 'ok 1 - a' 'ok 2 - b'
check "no results" not ended 0
check "no plan" not ended 0 'ok 1 - a'
check "a plan of none" not ended 0 1..0
check "fewer results than planned" not ended 0 1..2 'ok 1 - a'
check "two plans" not ended 0 1..1 1..1 'ok 1 - a'
check "a bad one of a test that ends well" not ended 0 1..2 'ok 1 - a' 'not ok 2 - b'
check "a test that ends badly" not ended 1 1..1 'ok 1 - a'
check "one that passes three times after that has passed" again "1 0" 90 0 0 0
check "one that fails the first time has not" again "0 1" 90 1
check "nor the second time" again "0 1" 90 0 1
check "nor the third time" again "0 1" 90 0 0 1
check "when time is up once is enough" again "1 0" 400 0
verdict
