#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# The command ipoib at a terminal has colours, and words that bash completes. For programs it has
# neither, but JSON, of events in a line each, as they happen.
#
# shellcheck disable=SC2016 # perl expands it, or the shell that is started

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

green=$'\e[32mup\e[0m' red=$'\e[31mdown\e[0m'
ipoib=${OUTPUT:-$here}/ipoib
completion=$here/../../../ipoib/completion

# shown COMMAND...: at a terminal, and the interface is in that
shown()
{
	in_ns "$h1" script -qec "$*" /dev/null < /dev/null | tee -a /dev/stderr > "$tmp/shown"
	grep -q ib0 "$tmp/shown"
}

# coloured STATE COMMAND...
coloured()
{
	shown "${@:2}" && grep -qF "$1" "$tmp/shown"
}

# plain COMMAND...: there is no escape sequence
plain()
{
	shown "$@" && not grep -qF $'\e' "$tmp/shown"
}

# completes LINE WORDS: with these, if Tab is pressed behind it
completes()
{
	in_sysfs "$h1" bash -c '. "$0"
		read -ra COMP_WORDS <<< "$1"
		[[ $1 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_ipoib && echo "${COMPREPLY[*]}"' "$completion" "$1" | tee -a /dev/stderr |
		grep -qxe "$2"
}

# told CONDITION: who listens, of objects $j of which the condition, in perl, holds; each is a line.
# It may have begun to listen only now, so the interface goes down and up each time
told()
{
	ip -n "$h1" link set ib0 down && ip -n "$h1" link set ib0 up
	cat "$tmp/background.log"
	perl -MJSON::PP -ne '$j = decode_json($_); $n++ if '"$1"'; END { $? ||= !$n }' \
		"$tmp/background.log"
}

# last_told STATE: it has come through the pipe, whole, and who listens goes on with it
last_told()
{
	kill -0 "$job" && tail -n 1 "$tmp/background.log" | tee -a /dev/stderr |
		perl -MJSON::PP -ne '$j = decode_json($_); exit !($j->{state} eq "'"$1"'")'
}

# each_told: before the next happens. Those of all six would fill a buffer once or twice
each_told()
{
	local state

	for state in down up down up down up; do
		ip -n "$h1" link set ib0 $state && eventually last_told $state || return
	done
}

plan 15
ib_hosts 1
check "what is in order is green" coloured "$green" "$ipoib" show ib0
setup ip -n "$h1" link set ib0 down
check "what is not is red" coloured "$red" "$ipoib" show ib0
check "for a pipe there are no colours" plain "$ipoib show ib0 | cat"
check "nor for who wants none" plain env NO_COLOR=1 "$ipoib" show ib0
check "nor in JSON" plain "$ipoib" --json show ib0

check "bash completes a command" completes 'ipoib con' conns
check "it knows all of them" \
	completes 'ipoib ' '--json --help show peers groups conns counters monitor why'
check "behind an option, too" completes 'ipoib --json mon' monitor
check "and interfaces that may be asked about" completes 'ipoib why ' ib0

background ip netns exec "$h1" sh -c '"$0" --json monitor ib0 | cat' "$ipoib"
must "events are objects" \
	eventually told '$j->{interface} eq "ib0" && $j->{state} eq "down" && $j->{reason}'
check "those of what is well, too" eventually told '$j->{state} eq "joining" && !$j->{fault}'
check "each is there as soon as it has happened" each_told

# is_object: JSON of an interface whose name is no UTF-8
is_object()
{
	in_ns "$h1" "$ipoib" --json show |
		perl -MJSON::PP -0777 -ne 'exit decode_json($_)->[0]{interface} ne "ib\xff"'
}

# says_nothing: but what it says to people
says_nothing()
{
	[ -z "$(in_ns "$h1" "$ipoib" --json show lo)" ]
}

check "of an interface of others there is no JSON" says_nothing
setup ip -n "$h1" link set ib0 down
setup ip -n "$h1" link set ib0 name '$(id)'
check "what an interface is called is not executed" completes 'ipoib why ' '\\\$\\(id\\)'
setup ip -n "$h1" link set '$(id)' name $'ib\xff'
check "and spoils no JSON" is_object
