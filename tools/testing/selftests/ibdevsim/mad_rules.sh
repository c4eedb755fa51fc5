#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules say which MADs are lost, come late or twice, or say something else.
. "$(dirname "$0")/lib.sh"

rules=$debugfs/mad_rules

rule()
{
	echo "$*" > "$rules"
}

# refused RULE: and there is no rule more than before
refused()
{
	local before

	before=$(< "$rules")
	rule "$@" && return 1
	[ "$(< "$rules")" = "$before" ]
}

all_refused()
{
	local words

	while read -r words; do
		refused "$words" || { echo "accepted: $words"; return 1; }
	done <<-END
		lose
		drop drop
		drop dup
		class=3 class=3 drop
		class=x drop
		from=hca0 drop
		from=ibdevsim0x drop
		match=1:123 drop
		match=1 drop
		set=0:00112233445566778899aabbccddeeff00
		status=0x10000
		delay
		answer
		class=0x81 dup
		class=1 delay
	END
}

# sixteen: and no more
sixteen()
{
	local i

	for ((i = 0; i < 16; i++)); do
		rule "class=0x42" || return
	done
	refused "class=0x42"
}

# counts MATCHED APPLIED: of the first rule
counts()
{
	cat "$rules"
	grep -q -m 1 "^matched $1 applied $2: " "$rules"
}

# description LID: as the node tells it
description()
{
	diag smpquery -t 2000 nodedesc "$1"
}

described()
{
	[[ $(description "$1" | tee -a /dev/stderr) == *"$2"* ]]
}

# class_info: what the subnet administrator says of itself, asked by way of ibdevsim1
class_info()
{
	saquery -C ibdevsim1 -t 2000 -c
}

version_is()
{
	class_info | tee -a /dev/stderr | grep -q "Base version\.*$1\$"
}

# packets: that reach ibdevsim1 while that is asked for
packets()
{
	local before after

	before=$(sed -n 's/^rcv_packets //p' "$debugfs/ibdevsim1/counters")
	class_info > "$tmp/info" || { cat "$tmp/info"; return 1; }
	after=$(sed -n 's/^rcv_packets //p' "$debugfs/ibdevsim1/counters")
	echo $((after - before))
}

# one_more_than N
one_more_than()
{
	local n

	n=$(packets) && echo "$n, $1 before" && [ "$n" -eq $(($1 + 1)) ]
}

plan 20
fabric 2
check "what is no rule is refused" all_refused
check "there is room for 16" sixteen
setup rule
check "and then there is none" [ -z "$(< "$rules")" ]

lid=$(lid_of ibdevsim1)
setup rule "class=1 method=0x81 attr=0x10 from=ibdevsim1 set=64:78797a"
check "octets of an SMP are altered" described "$lid" xyzevsim
check "of such as it says only" described "$(lid_of ibdevsim0)" ibdevsim
check "and counted" counts 1 1
setup rule
setup rule "class=1 method=0x81 attr=0x10 from=ibdevsim1 set=64:78797a after=1 times=1"
check "the first one passes" described "$lid" ibdevsim
check "the second one is altered" described "$lid" xyzevsim
check "and the third one passes" described "$lid" ibdevsim
check "which are three" counts 3 1
setup rule
# However often it is asked again
setup rule "class=1 method=1 attr=0x10 dlid=$lid drop"
check "an SMP is lost" not description "$lid"
setup rule
setup rule "class=1 method=0x81 attr=0x12 from=switch status=0x1c"
check "the switch says that it will not" not diag smpquery -t 2000 switchinfo 2
check "itself" counts 1 1

setup rule
packets=$(packets)
setup rule "class=3 method=0x81 attr=1 match=56:01 set=56:07"
check "an answer of the subnet administrator is altered" version_is 7
setup rule
setup rule "class=3 method=0x81 attr=1 dup"
check "it comes twice" one_more_than "$packets"
setup rule
setup rule "class=3 method=0x81 attr=1 status=0x0100"
check "it is none" not class_info
setup rule
setup knob delay_usec 100000000
setup rule "class=3 method=0x81 attr=1 delay"
check "it comes late" not class_info
setup rule
check "it comes" version_is 1

setup pause_sm
check "without a subnet administrator there is no answer" not class_info
setup rule "class=3 method=1 attr=1 set=56:07"
setup rule "class=3 method=1 attr=1 answer"
check "but by a rule" version_is 7
