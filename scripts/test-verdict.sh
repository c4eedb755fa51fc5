# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What became of the tests that run-tests.sh runs: to be sourced by it.

# shellcheck disable=SC2154,SC2034,SC2004	# who sources this has, or reads, these; one is associative
said=''
foreseen=0
passed=0 failed=0 skipped=0 flaky=0 tried_again=0 trying_since=''

# verdict - the line that counts, and the end
verdict()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $skipped -eq 0 ] && [ $passed -gt 0 ]
	exit
}

# report RESULT NAME [LOG]
report()
{
	printf '%-4s %s\n' "$1" "$2"
	said=$EPOCHSECONDS
	case $1 in
	ok) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)); grep -i skip "$3" | sed 's/^/     /' ;;
	*) failed=$((failed + 1)); [ $# -lt 3 ] || sed 's/^/     /' "$3" ;;
	esac
}

# title TEST - as people read it
title()
{
	local name=${1%@*}

	name=${name%.sh}
	case $name in
	ipoib:*) name="${name#*:} on ${1##*@}"; echo "${name/+/, }" ;;
	*) echo "${name/:/\/}" ;;
	esac
}

# complete LOG - has it a plan, and as many results as that says?
complete()
{
	awk '
		match($0, /^1\.\.[0-9]+/) { plans++; plan = substr($0, 4, RLENGTH - 3) + 0 }
		/^(not )?ok [0-9]/ { results++ }
		END { exit !(plans == 1 && plan > 0 && results == plan) }' "$1" || {
		echo "# no plan, or not as many results as planned" >> "$1"
		return 1
	}
}

# to_come - how much that is, from what the tests took that are done, and how long all of
# them did with as many machines
to_come()
{
	local t left=0 minutes

	for t in "${todo[@]}"; do
		left=$((left + seconds_of[$t]))
	done
	echo -n "${#todo[@]} left"
	[ $foreseen -gt 0 ] && [ $left -gt 0 ] || return
	minutes=$(((left * (EPOCHSECONDS - began) / foreseen + 30) / 60))
	echo -n ", about $((minutes > 0 ? minutes : 1)) min"
}

# say_what_runs - so that nobody takes it for dead
say_what_runs()
{
	local t names=''

	for t in "${todo[@]}"; do
		[ -s "$results/$t/machine" ] && [ ! -s "$results/$t/status" ] &&
			names+=", $(title "$t") ($((EPOCHSECONDS - $(stat -c %Y "$results/$t/machine"))) s)"
	done
	[ -n "$names" ] || names=', machines that start'
	echo "     ... running: ${names:2}; $(to_come)"
	said=$EPOCHSECONDS
}

# fails TEST - has it? What is no failure of its own is not asked for twice
fails()
{
	local dir=$results/$1

	[[ $(< "$dir/status") == @(0|4) ]] || return 0
	[ "$(< "$dir/status")" = 0 ] || return 1
	grep -q '^not ok' "$dir/log" && return 0
	! grep -q '^# expect: ' "$dir/log" && ! complete "$dir/log"
}

# only_word TEST - is there nothing but its own word against it?
only_word()
{
	[ ! -s "$results/$1/found" ]
}

# once_more TEST - alone, and as often as three times, each in a machine of its own: does it pass
# each time? Once is enough when six minutes have been spent on such tests
once_more()
{
	local dir=$results/$1 run

	[ -z "${ONCE-}" ] && [ $tried_again -lt 5 ] && only_word "$1" && [ -s "$dir/log" ] &&
		! grep -q '^# the machine ended' "$dir/log" || return
	tried_again=$((tried_again + 1))
	: "${trying_since:=$EPOCHSECONDS}"
	mv "$dir" "$results/failed-$1" || return
	for run in 1 2 3; do
		rm -rf "$dir"
		one_machine "again.$tried_again.$run" 2 "$1"
		[ -s "$dir/status" ] && ! fails "$1" &&
			[ ! -e "$results/again.$tried_again.$run.fault" ] || return
		[ $((EPOCHSECONDS - trying_since)) -lt 360 ] || break
	done
}

# judge TEST - says what became of it
judge()
{
	local t=$1 dir=$results/$1 took name

	took=$(($(stat -c %Y "$dir/status") - $(stat -c %Y "$dir/machine")))
	name="$(title "$t") ($took s; $(to_come))"
	if fails "$t"; then
		report FAIL "$name" "$dir/log"
	elif [ "$(< "$dir/status")" = 4 ] || grep -qi '# skip' "$dir/log"; then
		report SKIP "$name" "$dir/log"
	else
		report ok "$name"
		echo "$took $t" >> "$results/seconds"
	fi
}

# judge_suspect TEST - runs it again, and says what became of it
judge_suspect()
{
	local t=$1

	if once_more "$t"; then
		flaky=$((flaky + 1))
		echo "flaky $(title "$t"): it failed, and then passed, alone, as often as it was run"
		sed 's/^/     /' "$results/failed-$t/log"
		report ok "$(title "$t"), when it was run again"
		return
	fi
	report FAIL "$(title "$t")" "$results/$t/log"
	[ ! -s "$results/failed-$t/log" ] || {
		echo "     and before that:"
		sed 's/^/     /' "$results/failed-$t/log"
	}
}
