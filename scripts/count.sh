# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# For scripts that run several commands, each of which ends with a line that counts.

passed=0 failed=0 skipped=0

# count WHAT COMMAND... - adds that up. What fails without having counted a failure is one,
# and so is what has passed nothing.
count()
{
	local status p=0 f=0 s=0 log began=$SECONDS

	log=$(mktemp) || exit 1
	echo "== $1 =="
	"${@:2}" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	read -r p f s < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$log" |
		tail -n 1)
	rm -f "$log"
	[ "$status" -eq 0 ] || [ $((f + s)) -gt 0 ] || f=1
	[ $((p + f + s)) -gt 0 ] || f=1
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "== $1: $(((SECONDS - began) / 60)):$(printf %02d $(((SECONDS - began) % 60)))," \
		"$((SECONDS / 60)) min since the start =="
}

# counted - the line for all of it; fails unless all has passed
counted()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $skipped -eq 0 ] && [ $passed -gt 0 ]
}
