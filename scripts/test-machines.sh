# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The machines that run-tests.sh runs tests in: to be sourced by it.

# shellcheck disable=SC2154	# who sources this has set um, kcsan, vm and real_seconds

# running MACHINE - the tests it has begun and not finished. All the time, so it
# starts no programs: they would take a CPU away from the machines.
running()
{
	local t machine

	for t in "${tests[@]}"; do
		[ -s "$results/$t/machine" ] && [ ! -e "$results/$t/status" ] &&
			read -r machine < "$results/$t/machine" &&
			[ "$machine" = "$1" ] && echo "$t"
	done
}

# untouched TEST... - is one of them that no machine has begun?
untouched()
{
	local t

	for t; do
		[ -e "$results/$t" ] || return 0
	done
	return 1
}

# last_words LOG - of a kernel: all its complaints, for who reads no more than that; what began
# with the first, if there was one; and the end
last_words()
{
	local complaints

	complaints=$(complaints_in "$1")
	{
		if [ -n "$complaints" ]; then
			head -n 20 <<< "$complaints"
			echo ...
			first=${complaints%%$'\n'*} awk 'index($0, ENVIRON["first"]) { on = 1 } on' \
				"$1" | head -n 300
			echo ...
		fi
		# An oops and the panic that follows it are a hundred lines.
		# A kernel in user mode says two lines for each console that it might have.
		grep -avE 'setup_one_line failed|configured out of UML' "$1" | tail -n 150
	} | sed 's/^/# | /'
}

# one_machine NAME CPUS TEST... - boots it, and sees it through to its end
one_machine()
{
	local t vm_pid status failed idle

	"${vm[@]}" --cpus "$2" --timeout $((7200 + ${MINUTES:-5} * 60)) --share "$results" --log "$results/$1.kernel" -- \
		env "${environment[@]}" IPOIB_KO="$built/${module#"$top/"}" \
		IBDEVSIM_KO="$built/drivers/infiniband/sw/ibdevsim" \
		"$top/scripts/check-guest" "$results" "$1" \
		"$seconds" "${um:+8}" "${@:3}" > "$results/$1.out" 2>&1 &
	vm_pid=$!
	trap 'kill $vm_pid; wait; exit' TERM
	idle=$EPOCHSECONDS
	while kill -0 $vm_pid 2> /dev/null; do
		for t in $(running "$1"); do
			# Its own deadline is kept in the machine; past that the
			# machine hangs.
			[ $((EPOCHSECONDS - $(stat -c %Y "$results/$t/machine"))) -le \
				$((real_seconds + 180)) ] || kill $vm_pid
			idle=$EPOCHSECONDS
		done
		# So does one that neither starts nor ends, nor begins a test. Its log is taken
		# now, for it will complain of being killed.
		[ $((EPOCHSECONDS - idle)) -le 300 ] || {
			complains "$results/$1.kernel" || [ -e "$results/$1.hung" ] ||
				last_words "$results/$1.kernel" > "$results/$1.hung"
			kill $vm_pid
		}
		sleep 1
	done
	wait $vm_pid
	status=$?
	{
		echo "# the machine ended with status $status, and had said:"
		last_words "$results/$1.kernel"
		tail -n 60 "$results/$1.out" | sed 's/^/# /'
	} > "$results/$1.end"
	for t in $(running "$1"); do
		: > "$results/$1.spoilt"
		cat "$results/$1.end" >> "$results/$t/log"
		as_expected "$results/$t/log" "$results/$1.end" > "$results/$t/expected"
		failed=$?
		cat "$results/$t/expected" >> "$results/$t/log"
		echo $failed > "$results/$t/status"
	done
	# With no test to put it down to
	[ -e "$results/$1.spoilt" ] || [ -e "$results/$1.hung" ] ||
		{ [ $status -eq 0 ] && ! complains "$results/$1.kernel" &&
			[ -z "$(races "$results/$1.kernel")" ]; } ||
		mv "$results/$1.end" "$results/$1.fault"
}

# serve NAME CPUS TEST... - machines, one after the other, until each test was taken
serve()
{
	local before after

	while [ ! -e "$results/over" ] && untouched "${@:3}"; do
		before=$(find "$results" -mindepth 1 -maxdepth 1 -type d | wc -l)
		n=$((n + 1))
		one_machine "$1.$n" "${@:2}"
		after=$(find "$results" -mindepth 1 -maxdepth 1 -type d | wc -l)
		# The other worker may have begun the last one meanwhile.
		if [ "$before" -eq "$after" ] && untouched "${@:3}"; then
			echo "machine $1.$n ran no test:"
			cat "$results/$1.$n.out"
			return 1
		fi
	done
}

# worker N - the first begins where the second ends. More than those two are for tests with
# one CPU: the emulated CPUs of three machines, two each, would mostly wait for each other.
worker()
{
	local n=0

	# Tests wait for something, some a tenth of their time, some most of it. What CPU
	# time that leaves, others take, and no more than a part of that of the first two.
	[ -n "$um" ] || [ "$1" -le 2 ] || renice -n 5 -p $BASHPID > /dev/null 2>&1
	[ -z "$um" ] || { serve "$1" 2 "${on_two[@]}"; return; }
	case $1 in
	1) serve "$1" 2 "${on_two[@]}" && serve "$1" 1 "${on_one[@]}" ;;
	2) serve "$1" 1 "${on_one[@]}" && serve "$1" 2 "${on_two[@]}" ;;
	*) serve "$1" 1 "${on_one[@]}" ;;
	esac
} > "$results/worker$1" 2>&1

# start_machines - as many as there is memory for; sets workers
start_machines()
{
	local memory machines m t

	# CPUs that are emulated wait for each other, for a third of the time, and more when there
	# are many. Tests in which several have nothing to do at the same time get one, and all
	# machines but the first begin with those.
	on_two=() on_one=()
	for t in "${tests[@]}"; do
		if [ -z "$um$kcsan" ] && [[ $busy != *" $t "* ]]; then
			on_one+=("$t")
		else
			on_two+=("$t")
		fi
	done

	# Each takes 2 GiB, if its tests want them; those of user mode 1, and they wait for more of
	# their time.
	memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
	if [ "$memory" -lt 7 ]; then
		machines=2
	elif [ "$memory" -lt 9 ]; then
		machines=3
	else
		machines=${um:+6}
		: "${machines:=4}"
	fi
	machines=${MACHINES:-$machines}
	[ ${#tests[@]} -ge "$machines" ] || machines=${#tests[@]}
	for ((m = 1; m <= machines; m++)); do
		worker $m &
		workers+=($!)
	done
}
