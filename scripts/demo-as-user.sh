#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The newcomer's commands as anybody runs them: a user with sudo, made for this and removed again,
# unpacks the tree and runs make demo in it, and a test; with a umask that keeps others out, and
# without KVM. Then the demonstration again, interrupted.
set -u
. "$(dirname "$0")/common.sh"

[ "$(id -u)" -eq 0 ] || exec sudo "$0"
"$top/scripts/packages.sh" user || exit 1

user=ipoib-demo-$$
home=$(mktemp -d "/var/tmp/$user.XXXXXX") || exit 1
began=$EPOCHSECONDS
out=$home/out
# shellcheck disable=SC2317	# called by trap
cleanup()
{
	trap '' INT TERM HUP
	rm -f "/etc/sudoers.d/$user"
	pkill -KILL -u "$user"
	while pgrep -u "$user" > /dev/null; do
		sleep 0.1
	done
	# The next one that is made may have the same number.
	find /tmp /var/tmp /dev/shm -user "$user" -delete 2> /dev/null
	userdel "$user" > /dev/null 2>&1
	rm -rf "$home"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# as_user COMMAND... - in the user's home
as_user()
{
	cd "$home" &&
	exec setpriv --reuid "$user" --regid "$user" --clear-groups \
		env -i HOME="$home" USER="$user" LOGNAME="$user" \
		PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
		bash -c 'umask 077; exec "$@"' _ "$@"
}

passed=0 failed=0 left=9
# check WHAT COMMAND... - a result, and what the demonstration said if it is not good
check()
{
	left=$((left - 1))
	if still "at it: $1" "${@:2}"; then
		echo "ok   $1 ($left left)"
		passed=$((passed + 1))
	else
		echo "FAIL $1 ($left left)"
		tail -n 100 "$out" | sed 's/^/     /'
		failed=$((failed + 1))
	fi
}

not()
{
	! "$@"
}

# What must not be other than before: masked units, presets, policies
units()
{
	find /etc/systemd /run/systemd -lname /dev/null 2> /dev/null
	ls -d /usr/sbin/policy-rc.d /run/systemd/system-preset/* 2> /dev/null
}

# In the foreground, for what ends this script has to end that, too: bash waits for it
makes()
{
	(as_user timeout --foreground 900 make -C ipoib --no-print-directory demo) > "$out" 2>&1 < /dev/null
}

# makes_check - on Debian's kernel, which is there: one of ours would be built for this user first,
# and takes longer than all else here
makes_check()
{
	(as_user timeout --foreground 900 make -C ipoib --no-print-directory check TESTS=ping_ipv4@ib \
		KERNEL=stock) > "$out" 2>&1 < /dev/null
}

all_passed()
{
	tail -n 1 "$out" | grep -qE '^All [0-9]+ passed\.$'
}

same_units()
{
	diff <(echo "$before") <(units)
}

# nothing_left - of what runs, or lies where others put theirs, too
nothing_left()
{
	local end=$((SECONDS + 20))

	while pgrep -u "$user" > /dev/null && [ $SECONDS -lt $end ]; do
		sleep 0.2
	done
	! pgrep -lu "$user" &&
	! find /tmp /var/tmp /dev/shm -user "$user" -newermt "@$began" -not -path "$home*" \
		2> /dev/null | grep .
}

# interrupted - as by Ctrl-C, which all processes in the foreground get. Who started this
# may have it ignored, as a shell does for what it starts in the background.
interrupted()
{
	local pid end=$((SECONDS + 300)) status

	set -m
	(as_user env --default-signal=INT make -C ipoib --no-print-directory demo) > "$out" 2>&1 < /dev/null &
	pid=$!
	set +m
	until pgrep -u "$user" qemu > /dev/null || [ $SECONDS -ge $end ]; do
		sleep 0.2
	done
	pgrep -u "$user" qemu > /dev/null || status=1
	kill -INT -- -$pid
	wait $pid || return "${status:-0}"
	return 1
}

useradd --no-create-home --home-dir "$home" --shell /bin/bash "$user" || exit 1
chown "$user:" "$home"
echo "$user ALL=(ALL) NOPASSWD: ALL" > "/etc/sudoers.d/$user"
chmod 440 "/etc/sudoers.d/$user"
(as_user sudo -n true) || die "sudo does not know $user"

# What git ignores is left out: it was compiled here. The user may not be able to read
# where this lies.
(as_user mkdir ipoib)
(
	cd "$top" || exit 1
	git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
		tar -c --null --ignore-failed-read -T - 2> /dev/null
) | (as_user tar -x -C ipoib) || die "cannot unpack the tree in $home"

before=$(units)
echo "Running the demonstration as the user $user (compiles, then boots: some minutes) ..."
check "an ordinary user runs make demo" makes
check "its last line says that all passed" all_passed
check "it said that it compiles" grep -q '^Compiling ' "$out"
check "no shell reports a process that was terminated" not grep -E 'Terminated|Killed' "$out"
check "the user runs make check, too, with a test" makes_check
check "no unit is masked, and no preset or policy left" same_units
check "no process and no temporary file is left" nothing_left
check "it can be interrupted" interrupted
check "nothing is left of what was interrupted" nothing_left
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
