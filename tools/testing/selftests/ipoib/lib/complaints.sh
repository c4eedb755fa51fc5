# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What counts as a complaint in the kernel's log: for the tests here, for those of
# ibdevsim, and for what watches them all. checkers/complaints has a line of each kind.

# What the kernel says when something is wrong with it, ...
complaint='WARNING:|BUG: ([^K]|K[^C])|kernel BUG at|BUG [^ ]+ \(|Oops|\[#[0-9]+\]'
complaint+='|Call Trace|general protection|Kernel panic|Bad page|KASAN|UBSAN|ODEBUG'
complaint+='|possible .* deadlock|trying to register non-static|suspicious RCU usage'
complaint+='|scheduling while atomic|huh, entered softirq|NOHZ tick-stop error'
complaint+='|INFO: task .* blocked|self-detected stall|detected (expedited )?stalls'
complaint+='|hard LOCKUP|workqueue lockup|refcount_t:|ref_tracker: |leaked reference'
complaint+='|suspected memory leak|unregister_netdevice: waiting|hw csum failure'
complaint+='|DMA-API:.*(device driver|[Ee]rror|disabling)|dma-debug disabled'
complaint+='|cannot create duplicate|Directory .* already present!'
complaint+='|kobject_add_internal failed'
# ... what networking and RDMA say of a driver, but not what the CM says of an identifier that
# takes longer to go than its peer has time for, which may be none at all: from 7.0 on that is so
# wherever many connections end on a busy machine, and one that never goes ends the test, ...
complaint+='|protocol .* is buggy|Dead loop on virtual device|asks to queue packet'
complaint+='|(Freeing|release|Destroying) alive|suspect GRO|stalled pool shutdown'
complaint+='|GID entry ref leak|Unable to find AH|NETDEV WATCHDOG'
# ... and what ipoib says when something has gone wrong that need not, or took as long as
# it may: unless a test has it go wrong.
complaint+='|QP did not give its packets back|cannot start the link|no connections: '
complaint+='|more than [0-9]+ groups|no IPoIB (interface )?on port|objects were not freed'

# What OpenSM says when it is sent what nobody should send: an attribute, a method, a component
# mask, a key or a subscription that is none. Much else that it calls an error is none here: what
# is lost, late, or of a port that has just gone, and groups that are asked for and not there.
sm_complaint=' ERR (1A0[145]|1403|1F17|1B(01|18|20|21|24|28)|430[AB]|310[3579]|3112)[ :]'

# sm_complaints DIR: are there any in the logs of subnet managers below it? But those that a test
# provokes, which sets $expected_of_sm, a pattern
sm_complaints()
{
	compgen -G "$1/*/log" > /dev/null || return 1
	cat "$1"/*/{before,log} 2> /dev/null |
		complaint=$sm_complaint expected=${expected_of_sm-} awk '
			$0 ~ ENVIRON["complaint"] &&
			(ENVIRON["expected"] == "" || $0 !~ ENVIRON["expected"]) {
				print "# a subnet manager: " $0
				found = 1
			}
			END { exit !found }'
}

# complaints_in FILE: those in a log. A test that provokes some has had a line in it,
# when it began, with a pattern for them; and of allocations that it says it has had
# fail, names of functions and where that was are no complaints.
complaints_in()
{
	complaint=$complaint awk '
		/ selftest [^ ]+ [0-9]+\r?$/ { expected = "" }
		/ selftest [^ ]+ [0-9]+ expects / {
			sub(/\r$/, "")
			expected = substr($0, index($0, " expects ") + 9)
			next
		}
		/ allocations are to fail\r?$/ { meant = 1 }
		/ allocations are to succeed\r?$/ { meant = 0 }
		meant && /Call Trace:|\] +(\? )?[^ ]+\+0x|kobject_add_internal failed .*error: -12 / { next }
		$0 ~ ENVIRON["complaint"] && (expected == "" || $0 !~ expected)' "$1"
}
