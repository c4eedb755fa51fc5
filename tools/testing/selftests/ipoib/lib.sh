# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests in this directory share. A test reads
#
#	. "$(dirname "$0")/lib.sh"
#	plan 1
#	two_hosts
#	check "the other host answers" ping_all "$h1" 10.0.0.2
#
# and ends, however it ends, with everything it made taken down again and with
# two more results: the driver freed every object, the kernel log is clean.
#
# FABRIC         roce or ib; of a test that its line "# Fabrics:" keeps to one of
#                them, that one
# IPOIB_KO       ipoib.ko to load; without it modprobe finds the module
# OUTPUT         where the Makefile put the programs; default: this directory
# IPOIB_PATIENCE, IPOIB_FAIL_FAST  see lib/ktap.sh
# IPOIB_VOLUME   how many times less of what is much, on a kernel that is slow: 1

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
test_name=${0##*/}
test_name=${test_name%.sh}
. "$here/lib/ktap.sh"
. "$here/lib/complaints.sh"
. "$here/lib/kernel_log.sh"
# That what runs beside a test may take, in seconds: longer where everything does
minute=$((patience * 3 / 2000))
only=
while read -r line && [[ $line == '#'* ]]; do
	[[ $line != '# Fabrics: '* ]] || only=${line##*: }
done < "$0"
: "${FABRIC:=${only:-roce}}"
# Another link kind, before plan, is for running beside ib_ipoib.
kind=${kind:-ipoib}
debug=/sys/kernel/debug/$kind
objects=$debug/objects
tracing=/sys/kernel/tracing

# plan N: the test is going to report N results of its own
plan()
{
	[ $EUID = 0 ] || skip_all "not root"
	[ "${only:-$FABRIC}" = "$FABRIC" ] || skip_all "not for FABRIC=$FABRIC"
	plan_is $(($1 + 2))
	start
}

# --- waiting -----------------------------------------------------------------

# within SECONDS COMMAND...: or it is ended; more of them where all is slower
within()
{
	timeout $(($1 * patience / 40000)) "${@:2}"
}

# much N, or N with M for MiB: as many, or as many times less as the kernel is slow
much()
{
	local n=$((${1%M} / ${IPOIB_VOLUME:-1}))

	echo "$((n ? n : 1))${1##*[0-9]}"
}

# --- undoing and background --------------------------------------------------

undo=()

# defer COMMAND...: run when the test ends, last deferred first
defer()
{
	undo+=("$(printf '%q ' "$@")")
}

# background COMMAND...: until the test ends, or for five minutes; its process id is in $job
background()
{
	# At once, so that nobody reads what the one before has said.
	: > "$tmp/background.log"
	timeout $((5 * minute)) "$@" >> "$tmp/background.log" 2>&1 &
	job=$!
	defer end_job "$job"
}

end_job()
{
	kill "$1" 2> /dev/null
	wait "$1" 2> /dev/null
	return 0
}

# --- start and end -----------------------------------------------------------

# modules NAME...: modprobe takes a while even if they are there
modules()
{
	local module release builtin missing=()

	read -r release < /proc/sys/kernel/osrelease
	IFS= read -rd '' builtin < "/lib/modules/$release/modules.builtin" 2> /dev/null
	for module; do
		[ -d "/sys/module/$module" ] || [[ $builtin == *"/$module.ko"* ]] ||
			missing+=("$module")
	done
	[ ${#missing[@]} -eq 0 ] || modprobe -a "${missing[@]}"
}

load_modules()
{
	local loaded=/sys/module/ipoib/parameters/kind

	modules ib_uverbs rdma_rxe veth || return
	if [ -e $loaded ]; then
		[ "$(< $loaded)" != "$kind" ] || return 0
		rmmod ipoib || return
	fi
	load_ipoib
}

load_ipoib()
{
	if [ -n "${IPOIB_KO:-}" ]; then
		load_file "$IPOIB_KO" kind="$kind"
	else
		modprobe ipoib kind="$kind"
	fi
}

# load_file MODULE.ko [OPTION...]: and what it depends on
load_file()
{
	local depends

	depends=$(modinfo -F depends "$1") || return
	# shellcheck disable=SC2086	# words
	modules ${depends//,/ } && insmod "$@"
}

start()
{
	workspace
	trap finish EXIT
	trap 'exit 1' INT TERM
	log_begins "ipoib selftest $test_name $$"
	count_mapped
	[ -e "$debug" ] || compgen -G '/sys/kernel/debug/*' > /dev/null ||
		mount -t debugfs debugfs /sys/kernel/debug
	[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
	# By its own clock, which may be coarse, a CPU does not tell what came before another one's.
	echo mono > $tracing/trace_clock
	setup load_modules
}

nothing_lives()
{
	local kind made freed it kinds=0

	# In a trap a bare return gives what was before the trap.
	[ ! -e /sys/module/ibdevsim ] || return 1
	# What is undone may fail, for it may be gone already. None of it is to be there.
	for it in "/run/netns/ipoib-$id-"* "/sys/class/net/"{ib,eth,peth,br}"$id"* \
		"/sys/class/infiniband/rxe$id"*; do
		[ ! -e "$it" ] || { left=$it; return 1; }
	done
	all_unmapped > "$tmp/mapped" || { left=$(< "$tmp/mapped"); return 1; }
	[ -e "$objects" ] || return 0
	while read -r kind made freed; do
		[ "$made" = "$freed" ] || return 1
		kinds=$((kinds + 1))
	done < "$objects"
	# A file that says nothing does not say that.
	[ $kinds -gt 0 ] || { left="what $objects would name"; return 1; }
}

nothing_leaked()
{
	local left=

	[ -z "${in_sa-}" ] || { echo "left in the SA: $in_sa"; return 1; }
	eventually nothing_lives || { echo "left: $left"; cat "$objects"; return 1; }
}

# counters: those of each host that are not 0: the driver's, and the stack's
counters()
{
	local n ns

	for n in 1 2 3; do
		ns=h$n
		[[ -n ${!ns-} && -e /run/netns/${!ns} ]] || continue
		echo "==> host $n <=="
		in_ns "${!ns}" ethtool -S ib0 | grep -v ': 0$'
		in_ns "${!ns}" nstat -as
	done
} 2> /dev/null

finish()
{
	local i

	trap - EXIT
	if ! sms_live > "$tmp/sms.log"; then
		failures=$((failures + 1))
		sed 's/^/# /' "$tmp/sms.log"
	fi
	if [ $failures -gt 0 ] && [ -z "${IPOIB_FAIL_FAST-}" ]; then
		head -n 30 "$debug"/*.*/{status,groups,peers} \
			2> /dev/null | sed 's/^/# /'
		counters | sed 's/^/# /'
		tail -n 40 "$tmp"/*/log 2> /dev/null | sed 's/^/# /'
		kernel_log | tail -n 40 | sed 's/^/# /'
	fi
	for ((i = ${#undo[@]} - 1; i >= 0; i--)); do
		eval "${undo[i]}" > /dev/null 2>&1
	done
	! sm_complaints "$tmp" || failures=$((failures + 1))
	check "every object of the driver is freed" nothing_leaked
	check "the kernel has nothing to complain about" log_is_clean
	verdict
}

. "$here/lib/hosts.sh"
. "$here/lib/leaves.sh"
. "$here/lib/mapped.sh"
. "$here/lib/fabric_ib.sh"
. "$here/lib/conn.sh"
. "$here/lib/cmpeer.sh"
. "$here/lib/interop.sh"
. "$here/lib/traffic.sh"
. "$here/lib/balance.sh"
. "$here/lib/inject.sh"
. "$here/lib/tenants.sh"
. "$here/lib/command.sh"
