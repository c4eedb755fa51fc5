# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Results as KTAP has them, and waiting: for both suites, which are always side by side.
#
# IPOIB_PATIENCE milliseconds that a condition may take to come true
# IPOIB_FAIL_FAST  set: the first result that is bad is the last one

export LC_ALL=C
patience=${IPOIB_PATIENCE:-40000}
test_number=0
planned=0
failures=0

# plan_is N: results in all, those of the end included
plan_is()
{
	planned=$1
	echo "TAP version 13"
	echo "1..$planned"
}

# skip_all REASON: none of them
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# workspace: $tmp, and what nap() waits for
workspace()
{
	tmp=$(mktemp -d) || exit 1
	# Nobody ever writes there.
	mkfifo "$tmp/silence"
	exec {silence}<> "$tmp/silence"
}

note()
{
	printf '%s\n' "$@" | sed 's/^/# /'
}

# check WHAT COMMAND...: one result, the command's output only if it fails
check()
{
	local what=$1 log=$tmp/check.log

	shift
	test_number=$((test_number + 1))
	: > "$log"
	if "$@" >> "$log" 2>&1; then
		echo "ok $test_number - $what"
		return 0
	fi
	failures=$((failures + 1))
	echo "not ok $test_number - $what"
	note "failed: $*"
	sed 's/^/# | /' "$log"
	[ -z "${IPOIB_FAIL_FAST-}" ] || exit 1
	return 1
}

# must WHAT COMMAND...: a check without which the rest means nothing
must()
{
	check "$@" || exit 1
}

# Set-up is no result: it works, or the test is over.
setup()
{
	: > "$tmp/setup.log"
	"$@" >> "$tmp/setup.log" 2>&1 && return
	failures=$((failures + 1))
	note "set-up failed: $*"
	sed 's/^/# | /' "$tmp/setup.log"
	exit 1
}

# A function that cannot tell returns this. So much and more means that a command was not
# answered: time-outs, programs that are not there, signals.
cannot_tell=124

# not COMMAND...: it fails; one that cannot tell has not failed
not()
{
	local status

	"$@"
	status=$?
	[ $status -lt $cannot_tell ] || echo "cannot tell: status $status of: $*"
	[ $status -ne 0 ] && [ $status -lt $cannot_tell ]
}

# nap: 50 ms. Starting a program takes as long where tests run
nap()
{
	read -rt 0.05 -u "$silence" || return 0
}

# busywait MS COMMAND...: until the command succeeds, but no longer than that;
# prints what it said last if it does not
busywait()
{
	local end=$((${EPOCHREALTIME/./} / 1000 + $1))
	# What is waited for may wait in turn.
	local depth=$((${depth:-0} + 1))
	local log=$tmp/busywait$depth.log

	shift
	until : > "$log" && "$@" >> "$log" 2>&1; do
		if [ $((${EPOCHREALTIME/./} / 1000)) -ge $end ]; then
			cat "$log"
			return 1
		fi
		nap
	done
}

eventually()
{
	busywait "$patience" "$@"
}

# verdict: ends the test, with status 0 if all that was planned is good
verdict()
{
	rm -rf "$tmp"
	if [ "$test_number" != "$planned" ]; then
		note "planned $planned results, gave $test_number"
		failures=$((failures + 1))
	fi
	exit $((failures > 0))
}
