#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# plant FAULT - commits a fault, and says in lines "# expect: REGEX" what then has to
# stand in the report on the test that did it.
# plant --list KERNEL - the faults that this one has to find, as FAULT@KERNEL
# PLANTED_KO - the module; default: below test_modules
set -u
cd "$(dirname "$0")" || exit 1

# Fault, and what the kernel calls it
faults()
{
	cat << 'EOF'
use_after_free    KASAN: .*use-after-free in use_after_free\+
out_of_bounds     KASAN: .*out-of-bounds in out_of_bounds\+
double_free       KASAN: .*(double-free|invalid-free)
null_dereference  KASAN: null-ptr-deref|NULL pointer dereference
leak              unreferenced object
lock_inversion    possible circular locking dependency
softirq_unsafe    inconsistent lock state
sleep_in_atomic   sleeping function called from invalid context
rcu_unbalanced    RCU nest depth: 1, expected: 0
rcu_unprotected   suspicious RCU usage
rcu_queued_twice  ODEBUG: activate active .* rcu_head
timer_freed       ODEBUG: free active .* timer_list
work_freed        ODEBUG: free active .* work_struct
refcount_revived  refcount_t: addition on 0
shift_too_far     UBSAN: shift-out-of-bounds
index_too_large   UBSAN: array-index-out-of-bounds
not_a_bool        UBSAN: invalid-load
netdev_held       unregister_netdevice: waiting for planted0
dma_not_mapped    DMA-API: .* tries to free DMA memory it has not allocated
preemptible_cpu   using smp_processor_id\(\) in preemptible
net_warning       WARNING: .* net_warning\+
dies              invalid opcode: 0000 \[#1\]
panics            Kernel panic - not syncing: planted
interface_left    /sys/class/net/planted1
namespace_left    /run/netns/planted
module_left       /sys/module/ib_ipoib
process_left      process [0-9]+ sleep
EOF
}

# Faults that the kernels in user mode look for, each what it can, and what they call some
# of them differently
faults_um()
{
	faults | grep -E "^(${1// /|}) " |
		sed -e 's/^null_dereference .*/null_dereference Kernel mode fault at addr/' \
			-e 's/^net_warning .*/net_warning WARNING: .*planted/' \
			-e 's/^dies .*/dies Kernel mode signal 4/'
}
both='refcount_revived shift_too_far index_too_large not_a_bool sleep_in_atomic net_warning'
both+=' netdev_held null_dereference dies panics interface_left namespace_left module_left'
both+=' process_left'

faults_memory()
{
	faults_um "$both use_after_free out_of_bounds double_free"
}

faults_locks()
{
	local own='lock_inversion softirq_unsafe rcu_unbalanced rcu_unprotected rcu_queued_twice'

	faults_um "$both $own timer_freed work_freed preemptible_cpu dma_not_mapped"
}

# Those after which others can still be seen: nothing is corrupt, no task is lost, and
# lockdep and KASAN, which report one fault only, have had nothing to report. Not a leak,
# for who leaked is read after the test, and a module that is gone has no names.
harmless=' sleep_in_atomic rcu_queued_twice timer_freed refcount_revived shift_too_far
	index_too_large not_a_bool dma_not_mapped preemptible_cpu net_warning interface_left
	namespace_left module_left process_left '
harmless=${harmless//[$'\n\t']/ }

# faults_of KERNEL
faults_of()
{
	case $1 in
	kasan) faults ;;
	memory | locks) "faults_$1" ;;
	kcsan) echo 'racing KCSAN: data-race in count' ;;
	gcov) ;;
	*) return 1 ;;
	esac
}

# expect_place FAULT - the function that commits it is named, too. In user mode not every
# report has a stack.
expect_place()
{
	[[ $FABRIC == @(memory|locks) ]] || echo "# expect: $1(\.cold)?\+"
}

if [ "$1" = --list ]; then
	faults_of "$2" | sed "s/ .*/@$2/"
	exit "${PIPESTATUS[0]}"
fi
expect=$(faults_of "$FABRIC" | sed -n "s/^$1  *//p")
[ -n "$expect" ] || { echo "no fault $1"; exit 1; }

echo "TAP version 13"
echo "1..1"
echo "# expect: $expect"
case $1 in
interface_left)
	ip link add planted1 type dummy ;;
namespace_left)
	ip netns add planted ;;
module_left)
	modprobe ib_ipoib ;;
process_left)
	sleep 1000 &
	# Until then it is called as this is.
	for ((i = 0; i < 100; i++)); do
		[ "$(< /proc/$!/comm)" = sleep ] && break
		sleep 0.1
	done ;;
netdev_held)
	expect_place "$1"
	ip link add planted0 type dummy &&
	insmod "${PLANTED_KO:-test_modules/planted.ko}" fault="$1"
	echo 1 > /proc/sys/net/core/netdev_unregister_timeout_secs
	timeout 60 ip link del planted0 &
	for ((i = 0; i < 60; i++)); do
		! dmesg | grep -qE "$expect" || break
		sleep 1
	done ;;
racing)
	insmod "${PLANTED_KO:-test_modules/planted.ko}" fault="$1" ;;
*)
	expect_place "$1"
	insmod "${PLANTED_KO:-test_modules/planted.ko}" fault="$1" ;;
esac
if [[ $harmless == *" $1 "* ]]; then
	[ ! -d /sys/module/planted ] || rmmod planted || exit
	echo "# no harm is done to the machine"
fi
echo "ok 1 - $1 is done"
