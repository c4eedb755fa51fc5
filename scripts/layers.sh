#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How the files of a driver may know of each other. Pure files include pure ones only, so that
# their tests can do with them alone. Headers are a ladder: none includes itself by way of others.
# Families have private headers, which nobody else includes, nor calls what those declare where a
# public one includes them for their structs. Else a .c file may include any.
#
# Without an argument all drivers are looked at; with one, the driver there; with "pure" behind
# it, the pure files of that are printed, without .c and .h.
set -u

self=$(realpath "$0")
if [ $# -eq 0 ]; then
	cd "$(dirname "$0")/../drivers/infiniband" || exit 1
	status=0
	for dir in ulp/ipoib sw/ibdevsim; do
		"$self" "$dir" || status=1
	done
	exit $status
fi
cd "$1" || exit 1

# families: private headers, a tab, the files that may include them
case $PWD in
*/ulp/ipoib)
	pure='wire log addr ring backoff bucket fsm sa_wire snoop conn_wire csum trace'
	families='
conn.h conn_nd.h conn_tx.h conn_rx.h	conn*.[ch]
mcast.h	mcast*.[ch]
sa_wire.h	sa*.[ch] fabric_ib.c
dev_rings.h	device.c dev_*.[ch]
' ;;
*/sw/ibdevsim)
	pure='wire profile limits keys walk psn qpfsm migfsm sg'
	families='
loop_cases.h loop_ends.h loop_expect.h loop_inject.h loop_kinds.h loop_tcp.h	loop*.[ch]
sma_port.h	sma*.[ch]
rc_rx.h psn.h	rc_*.[ch] psn.c qp.c tests/*psn*
' ;;
*) echo "$PWD: no plan for it"; exit 1 ;;
esac
if [ "${2-}" = pure ]; then
	tr ' ' '\n' <<< "$pure"
	exit
fi

status=0
complain()
{
	echo "$*"
	status=1
}

# includes FILE... - FILE:LINE:HEADER, of headers of the driver
includes()
{
	grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' "$@" |
		sed 's/#[^"]*"//; s/".*//; s/:[[:space:]]*\([^:]*\)$/:\1/'
}

# is_one_of NAME WORDS
is_one_of()
{
	[[ " $2 " == *" $1 "* ]]
}

# bare FILE... - these without comments
bare()
{
	perl -0pe 's{/\*.*?\*/}{ }gs' "$@"
}

# declared HEADER... - functions that these declare, not those that they define
declared()
{
	bare "$@" | perl -0ne 'print "$1\n" while /^(?!static|\s)[\w \t*]*?\b(\w+)\([^;{}]*\);/mg'
}

for name in $pure; do
	files=("$name".[ch])
	[ -e "${files[0]}" ] || files=("$name.h")
	if [ ! -e "${files[0]}" ]; then
		complain "$name: is pure, says scripts/layers.sh, and is not there"
		continue
	fi
	while IFS=: read -r file line header; do
		is_one_of "${header%.h}" "$pure" ||
			complain "$file:$line: is pure, and $header is not"
	done < <(includes "${files[@]}")
done

while IFS=$'\t' read -r private family; do
	[ -n "$private" ] || continue
	# shellcheck disable=SC2086	# patterns
	members=$(printf '%s ' $family)
	while IFS=: read -r file line header; do
		! is_one_of "$header" "$private" || is_one_of "$file" "$members" ||
			complain "$file:$line: $header is private"
	done < <(includes ./*.[ch] tests/*.[ch] | sed 's,^\./,,; s,:\.\./,:,')

	# shellcheck disable=SC2086	# names
	names=$(declared $private | paste -sd '|')
	for file in *.[ch]; do
		is_one_of "$file" "$members $private" ||
			while read -r name; do
				complain "$file: ${name%(}() is private, see $private"
			done < <(bare "$file" | grep -oE "\\b($names)\\(" | sort -u)
	done
done <<< "$families"

# tsort names those that are in a circle.
circle=$(includes ./*.h | sed 's,^\./,,' | awk -F: '{ print $1, $3 }' | tsort 2>&1 > /dev/null |
	sed -n 's/^tsort: \(.*\.h\)$/\1/p' | paste -sd ' ')
[ -z "$circle" ] || complain "$PWD: in a circle: $circle"
exit $status
