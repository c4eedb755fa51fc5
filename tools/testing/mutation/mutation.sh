#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Would the tests notice? Breaks the driver in many places, one at a time, and says which
# of these mutants no test has failed for.
#
# SAMPLE=400      so many, of each file its share; SEED=1 chooses
# CHANGED=REV     of those in functions that were changed since then, 40 at most
# FILES=a.c,b.h   of these files only, all of them
# MUTANTS=417,900 of these only, by their numbers in build/mutation/list
# TESTS=unit      by unit tests only, and all those of the pure code unless FILES is said:
#                 without a machine, so in seconds
# MACHINES=1      so many at once; as many as there are CPUs
# MAP=25          so many minutes for the map; then by the tests that it has by then
# KEEP=yes        go on where an earlier run stopped: with the same mutants, and the tests
#                 as they are now. A survivor is tried again if there are tests it has not
#                 been tried by
#
# accepted, beside this file, has those that change nothing a test could see, each with
# its reason. Another survivor is a failure.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/common.sh"

only_units=
[ "${TESTS-}" != unit ] || only_units=yes
driver=drivers/infiniband/ulp/ipoib
work=$top/build/mutation
if [ -n "$only_units" ]; then
	"$top/scripts/packages.sh" mutation build || exit 1
else
	"$top/scripts/packages.sh" mutation build test fabric debug || exit 1
	root=$("$top/scripts/debug-kernel.sh" plain) || exit 1
	build=$(realpath "$root"/lib/modules/*/build)
fi
[ -z "${MUTANTS-}" ] || KEEP=yes
mkdir -p "$top/build"
exec 7> "$work.lock"
flock -n 7 || die "another run is at it in $work"
[ -n "${KEEP-}" ] || rm -rf "$work"
mkdir -p "$work"/{map,hunt,machine,tried}

workers=()
# shellcheck disable=SC2317	# called by trap
cleanup()
{
	trap '' INT TERM HUP
	[ ${#workers[@]} -eq 0 ] || kill "${workers[@]}" 2> /dev/null
	wait
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# sources - what mutants are made of, and what they are hunted with
sources()
{
	(cd "$top" && git -c safe.directory='*' ls-files -z -co --exclude-standard Kbuild drivers include)
}

# sources_sum - of what has to stay as it is while mutants keep their numbers
sources_sum()
{
	(cd "$top" && sources | grep -zv '/tests/' | xargs -0 cat | md5sum)
}

# write_tree - the sources with mutants, but those in $work/dropped
write_tree()
{
	local tree=$work/tree

	rm -rf "$tree"
	mkdir -p "$tree"
	(cd "$top" && sources | cpio -0 --quiet -pdm "$tree") || return
	sources_sum > "$work/sources"
	mkdir "$tree/mutation"
	cp "$here"/mutant.[ch] "$tree/mutation"
	printf 'obj-m += ipoib_mutant.o\nipoib_mutant-y += mutant.o\n' > "$tree/mutation/Kbuild"
	cat >> "$tree/Kbuild" << 'END'
obj-m += mutation/
subdir-ccflags-y += -include $(KBUILD_EXTMOD)/mutation/mutant.h
END
	touch "$work/dropped"
	"$here/mutate.py" "$tree/$driver" "$work/list" "$work/dropped"
}

# pure - names of the pure files, which suites can do with alone
pure()
{
	"$top/scripts/layers.sh" "$work/tree/$driver" pure
}

list_units()
{
	local name

	for name in $(pure); do
		[ ! -e "$work/tree/$driver/tests/ipoib_${name}_kunit.c" ] || echo "ipoib_$name"
	done
}

# compile - the programs, and modules for the machines
compile()
{
	list_units > "$work/units"
	"$here/unit-hunt.sh" build "$work" > "$work/build.log" 2>&1 || return
	[ -n "$only_units" ] ||
		make -k -s -C "$build" ARCH=um M="$work/tree" -j"$(nproc)" KCFLAGS=-w \
			CONFIG_IPOIB_KUNIT_TEST=m modules > "$work/build.log" 2>&1
}

# renew_tests - in the tree of an earlier run. What a test that has changed comes by is
# not known any more.
renew_tests()
{
	local file name

	sources_sum | cmp -s - "$work/sources" ||
		die "the driver is not what $work was made of; begin anew, without KEEP"
	while read -rd '' file; do
		cmp -s "$top/$file" "$work/tree/$file" && continue
		cp "$top/$file" "$work/tree/$file"
		name=${file##*/}
		rm -rf "$work/map/${name%_kunit.c}"
	done < <(sources | grep -z '/tests/')
	for file in "$work"/map/*@*; do
		name=${file##*/}
		name=$top/tools/testing/selftests/ipoib/${name%@*}
		[ ! "$name" -nt "$file/log" ] || rm -rf "$file"
	done
	compile || { cat "$work/build.log"; die "the tests do not build"; }
}

# forget WHAT - lets go of what machines that are no more have begun and not ended
forget()
{
	local it

	for it in "$work/$1"/*/; do
		ended "$it" || rm -rf "$it"
	done
}

ended()
{
	[ -e "$1/verdict" ] || [ -e "$1/passed" ] || [ -e "$1/failed" ] || [ -e "$1/dead" ]
}

# try_again - survivors that there are other tests for by now, or tests that have changed,
# and whoever is asked for. What they have survived is not tried again.
try_again()
{
	local mutant tests test tried again

	while read -r mutant tests; do
		[ -e "$work/hunt/$mutant/verdict" ] || continue
		read -r tried < "$work/hunt/$mutant/verdict"
		[ -z "${MUTANTS-}" ] || tried='survived'
		[[ $tried == survived* ]] || continue
		again=
		for test in $tests; do
			if [[ " $tried " == *" $test "* ]] &&
			   [ ! "$work/map/$test/run" -nt "$work/hunt/$mutant/verdict" ]; then
				echo "$test"
			else
				again=yes
			fi
		done > "$work/tried/$mutant"
		[ -z "$again" ] || rm -rf "$work/hunt/$mutant"
	done < "$work/todo"
}

# build_tree - fails, and adds to $work/dropped, while there are mutants that do not compile
build_tree()
{
	local wrong

	echo "Compiling $(wc -l < "$work/list") mutants ..."
	compile && return
	sed -nE 's/.*\/([^/:]+\.[ch]):([0-9]+):[0-9]+: error: .*/\1\t\2/p' "$work/build.log" |
		sort -u > "$work/wrong"
	[ -s "$work/wrong" ] || { cat "$work/build.log"; die "the mutants do not build"; }
	wrong=$(awk -F '\t' 'NR == FNR { wrong[$1, $2]; next } ($2, $3) in wrong { print $1 }' \
		"$work/wrong" "$work/list")
	# An error elsewhere, as in a header of the kernel's that a mutant makes complain
	[ -n "$wrong" ] || { cat "$work/build.log"; die "the mutants do not build"; }
	echo "$wrong" >> "$work/dropped"
	return 1
}

# machines WHAT - and anew until there is nothing left
machines()
{
	local n

	forget "$1"
	workers=()
	for ((n = 1; n <= ${MACHINES:-$(nproc)}; n++)); do
		machine "$1" "$n" &
		workers+=($!)
	done
	n=0
	while [ -n "$(jobs -rp)" ]; do
		[ $((n++ % 60)) -ne 0 ] || say_progress "$1"
		# What is begun by then is begun again when the run goes on.
		[ "$1" != map ] || [ $n -lt $((${MAP:-100000} * 60)) ] ||
			kill "${workers[@]}" 2> /dev/null
		sleep 1
	done
	wait
	forget "$1"
}

# machine WHAT N
machine()
{
	local n=0 pid

	while [ -n "$(undone "$1")" ]; do
		n=$((n + 1))
		[ $n -lt 2000 ] || return
		# Each machine on a CPU of its own, where the programs of one are.
		nice -n 19 taskset -c $((($2 - 1) % $(nproc))) "$top/scripts/um" --cpus 1 --root "$root" \
			--timeout 100000 --share "$work" --log "$work/machine/$1.$2.kernel" -- \
			"$here/mutation-guest" "$1" "$work" "$2.$n" > "$work/machine/$1.$2.out" 2>&1 &
		pid=$!
		trap 'kill $pid; wait; exit' TERM
		watch "$1" "$2.$n" $pid
		wait $pid
		bury "$1" "$2.$n" "$work/machine/$1.$2.kernel"
	done
}

# undone WHAT - is there something nobody has begun?
undone()
{
	local it rest

	while read -r it rest; do
		[ -e "$work/$1/$it" ] || { echo "$it"; return; }
	done < "$work/$(work_list "$1")"
}

work_list()
{
	[ "$1" = map ] && echo tests || echo todo
}

# doing WHAT MACHINE - what it has begun and not ended
doing()
{
	local file it

	while read -r file; do
		it=${file%/machine}
		ended "$it" || echo "$it"
	done < <(grep -lx "$2" "$work/$1"/*/machine 2> /dev/null)
}

# cpu_time PID - of the kernel that runs below this scripts/um, in seconds: that of the
# process groups of its grandchildren, for timeout is between
cpu_time()
{
	ps -e -o ppid=,pgid=,pid=,times= | awk -v um="$1" '
		{ parent[$3] = $1; group[$3] = $2; sum[$2] += $4 }
		END {
			for (pid in parent)
				if (parent[parent[pid]] == um)
					groups[group[pid]]
			for (one in groups)
				used += sum[one]
			print used + 0
		}'
}

# watch WHAT MACHINE PID - ends it when it has computed for long and said nothing, or, for the
# CPU may have been busy with something else, when ten minutes have passed in which it did not
# compute. One with nothing to do starts, or was to end
watch()
{
	local it state was='' used began since long

	while kill -0 "$3" 2> /dev/null; do
		it=$(doing "$1" "$2" | tail -n 1)
		# Those with a fabric have hosts to set up.
		long=120
		[ ! -e "$it/test" ] || grep -q @ "$it/test" || long=20
		state=$it$(find "$it" -mindepth 1 -printf '%p %s %T@\n' 2> /dev/null)
		used=$(cpu_time "$3")
		if [ "$state" != "$was" ]; then
			was=$state began=$used since=$EPOCHSECONDS
		elif [ $((used - began)) -gt $long ] ||
		     { [ $((EPOCHSECONDS - since)) -gt 600 ] && [ $((used - began)) -lt 10 ]; }; then
			[ -z "$it" ] || touch "$it/hung"
			kill "$3"
		fi
		sleep 2
	done
}

# bury WHAT MACHINE LOG - what it was at when it died has killed it
bury()
{
	local it how

	for it in $(doing "$1" "$2"); do
		[ "$1" = hunt ] || { touch "$it/dead"; continue; }
		how=crash
		[ ! -e "$it/hung" ] || how=hang
		tail -n 60 "$3" > "$it/dmesg"
		echo "killed $(cat "$it/test" 2> /dev/null) $how" > "$it/verdict"
	done
}

say_progress()
{
	local all begun

	all=$(wc -l < "$work/$(work_list "$1")")
	begun=$(find "$work/$1" -mindepth 1 -maxdepth 1 -type d | wc -l)
	echo "  $1: $begun of $all begun, $(date +%H:%M)"
}

if [ -n "${KEEP-}" ] && [ -e "$work/built" ]; then
	renew_tests
else
	while
		write_tree || die "cannot write the mutants into $work/tree"
		! build_tree
	do
		:
	done
	touch "$work/built"
fi

# list_tests - suites that are programs; those that a kernel without a device will do for;
# files with their fabric, in an order that says nothing, for a map that is not complete
# is to have some of each kind
list_tests()
{
	cat "$work/units"
	[ -n "$only_units" ] || {
		(cd "$work/tree/$driver/tests" &&
			grep -L '<linux/platform_device.h>' ./*_kunit.c |
			sed 's,^\./,,; s,_kunit\.c$,,' | grep -vxf "$work/units")
		make -s -C "$top/tools/testing/selftests/ipoib" all &&
		make -s -C "$top/tools/testing/selftests/ipoib" KERNEL=memory list |
			shuf --random-source=<(yes)
	}
}

list_tests > "$work/tests" || exit 1
echo "Which mutants do $(wc -l < "$work/tests") tests come by?"
"$here/unit-hunt.sh" map "$work"
[ -n "$only_units" ] || machines map

[ -z "$only_units" ] || [ -n "${FILES-}${CHANGED-}${MUTANTS-}" ] ||
	FILES=$(for name in $(pure); do printf '%s.c,%s.h,' "$name" "$name"; done)
"$here/choose.py" "$work" "$top" "${SAMPLE:-400}" "${SEED:-1}" "${CHANGED-}" "${FILES-}" \
	"${MUTANTS-}" > "$work/todo" || exit 1
try_again
echo "Hunting $(wc -l < "$work/todo") mutants ..."
"$here/unit-hunt.sh" hunt "$work"
[ -n "$only_units" ] || machines hunt
"$here/report.py" "$work" "$here/accepted" "$top/scripts/layers.sh"
