#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every static check. All of them run; one that fails shows why.
set -u
. "$(dirname "$0")/common.sh"

"$top/scripts/packages.sh" build lint || exit 1
src=$(still unpacking kernel_scripts) || die "cannot unpack the kernel source"
cd "$top" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# files PATTERN... - the tree's files of these names, not what kbuild makes
files()
{
	local p names=()

	for p; do
		names+=(-o -name "$p")
	done
	find . \( -path ./.git -o -path ./build \) -prune -o -name '*.mod.c' -o -type f \
		\( "${names[@]:1}" \) -print | sort
}

mapfile -t c_files < <(files '*.c' '*.h')
mapfile -t text_files < <(files '*.[chS]' '*.sh' '*.py' '*.rst' '*.md' '*.yaml' '*.8' '*.conf' vm um completion '*-guest' '*-init' run complaints \
	Makefile Kbuild 'Kconfig*' .clang-format .gitignore)
mapfile -t shell_files < <(grep -l '^#!/bin/.*sh$' "${text_files[@]}")

build()
{
	make -s -j"$(nproc)" modules
}

# Without -Wsparse-error sparse warns and reports success.
sparse()
{
	make -s -j"$(nproc)" modules C=2 CF='-D__CHECK_ENDIAN__ -Wsparse-error'
}

# ignored FILE - what checkpatch takes there for what it is not
ignored()
{
	case $1 in
	# The parts of a TRACE_EVENT are no function calls.
	*/trace.h) echo OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT ;;
	# Lists of counters, as macros that take a macro: no expressions.
	*/stats.[ch] | */ipoib/ethtool.c) echo COMPLEX_MACRO,MACRO_ARG_REUSE,TRAILING_SEMICOLON ;;
	# Its macros take types and members, which have no side effects.
	*/apart.h) echo MACRO_ARG_REUSE ;;
	# __has_include(<a/b.h>) is no expression either.
	*/include/compat/*) echo SPACING ;;
	# These define what it says should be used.
	*/fuzz/include/*) echo MACRO_ARG_REUSE,PREFER_DEFINED_ATTRIBUTE_MACRO ;;
	*) echo NONE ;;
	esac
}

# checkpatch_files FILE... - all of which it takes the same in for what that is not
checkpatch_files()
{
	perl "$src/scripts/checkpatch.pl" --no-tree --strict --terse --showfile \
		--no-summary --ignore "$(ignored "$1")" -f "$@"
}

# It reads a good deal before it looks at a file, so it gets several at a time.
checkpatch()
{
	local f plain=() status=0

	for f in "${c_files[@]}"; do
		case $(ignored "$f") in
		NONE)	plain+=("$f") ;;
		*)	checkpatch_files "$f" || status=1 ;;
		esac
	done
	export src
	export -f ignored checkpatch_files
	# shellcheck disable=SC2016	# the shell that xargs starts expands it
	printf '%s\0' "${plain[@]}" |
		xargs -0 -n 12 -P "$(nproc)" bash -c 'checkpatch_files "$@" || exit 1' _ &&
		[ $status -eq 0 ]
}

kernel_doc()
{
	perl "$src/scripts/kernel-doc" -none -Werror "${c_files[@]}"
}

# stand_in FILE... - a script that has the variables of these, and nothing else
stand_in()
{
	local names

	mapfile -t names < <(grep -hv '^[[:space:]]*#' "$@" |
		grep -oE '(^|[[:space:]]|exec \{|\$\{)[A-Za-z_][A-Za-z_0-9]*[]=}[-]' |
		sed -E 's/^exec \{//; s/[^A-Za-z_0-9]//g' | sort -u)
	# One command for all of them is a fifth of the work that one for each is.
	echo '# shellcheck shell=bash'
	echo "read -r ${names[*]}"
	# What has no blanks need not be quoted.
	grep -hE '^[a-z_]+=[A-Za-z0-9/._-]+$' "$@"
	echo "export ${names[*]}"
}

# Of the library tests have to know the variables only, and shellcheck would read 2000 lines
# anew for each. What a library reads in is checked with it: it relies on the library's
# variables.
shellcheck_all()
{
	local lib=$tmp/lib.sh selftests=tools/testing/selftests tests others

	# shellcheck disable=SC2016,SC2046	# a pattern; there are no blanks
	(cd $selftests/ipoib &&
		stand_in lib.sh $(sed -n 's,^\. "$here/\(.*\)"$,\1,p' lib.sh)) > "$lib"
	# shellcheck disable=SC2016	# a pattern
	mapfile -t tests < <(grep -lx '# shellcheck source=lib.sh' "${shell_files[@]}")
	mapfile -t others < <(printf '%s\n' "${shell_files[@]}" |
		grep -vxFf <(printf '%s\n' "${tests[@]}"))
	printf '%s\0' "${tests[@]}" |
		xargs -0 -n 30 -P "$(nproc)" shellcheck -x -P "$tmp:SCRIPTDIR" &&
	printf '%s\0' "${others[@]}" |
		xargs -0 -n 4 -P "$(nproc)" shellcheck -x -P SCRIPTDIR &&
	shellcheck -x -P SCRIPTDIR scripts/test-*.sh &&
	shellcheck -x -a -P SCRIPTDIR scripts/{common,after-test}.sh \
		$selftests/{*/lib,ipoib/lib/{chaos,events,fail_nth,locks,scarce,talk}}.sh
}

layers()
{
	scripts/layers.sh
}

internals()
{
	scripts/internals.sh
}

includes()
{
	make -s -j"$(nproc)" HDRTEST=y modules && scripts/includes.sh
}

# Does the pattern that tests are judged by find what it should, and no more?
complaints()
{
	local line status=0

	# shellcheck source=after-test.sh
	. scripts/after-test.sh
	while IFS= read -r line; do
		case $line in
		'#'*)	;;
		-*)	! complains <(echo "${line#-}") || {
				echo "found, and harmless: $line"
				status=1
			} ;;
		*)	complains <(echo "$line") || {
				echo "not found by after-test.sh: $line"
				status=1
			} ;;
		esac
	done < tools/testing/selftests/checkers/complaints
	return $status
}

spdx()
{
	local f status=0

	for f in "${text_files[@]}"; do
		head -n 3 "$f" | grep -Eq 'SPDX-License-Identifier: (\(\()?GPL-2.0' && continue
		echo "$f: no SPDX line"
		status=1
	done
	return $status
}

# The module's own version is that of the packages.
versions()
{
	local version

	version=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' drivers/infiniband/ulp/ipoib/main.c)
	if [ -z "$version" ] ||
	   ! grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf ||
	   ! grep -qx "Version: $version" rpm/ipoib.spec ||
	   ! grep -q "ipoib-dkms_${version}_all" README.md ||
	   [[ $(head -n 1 debian/changelog) != "ipoib ($version) "* ]]; then
		echo "not $version in dkms.conf, debian/changelog, rpm/ipoib.spec or README.md"
		return 1
	fi
}

# names_of SPEC - of its attributes, of faults and of operations, as C has them, in order
names_of()
{
	awk '
	/^[a-z-]+:/ { part = $1 }
	part == "attribute-sets:" && /^    name:/ { set = $2 }
	part == "attribute-sets:" && /^        name:/ { print set "_" $2 }
	part == "definitions:" && /^      - / { print "fault_" $2 }
	part == "operations:" && /^      name:/ { print "cmd_" $2 }' "$1" | tr a-z- A-Z_
}

# The guide is read from the beginning to the end. What is not needed for that has other files.
guide()
{
	local guide=Documentation/infiniband/ipoib.rst lines

	lines=$(wc -l < $guide)
	[ "$lines" -le 500 ] || {
		echo "$guide: $lines lines, of 500: see what can go to ipoib-reference.rst"
		return 1
	}
}

# What programs read by generic netlink is said twice: for C, and for who reads YAML.
netlink_spec()
{
	diff <(names_of Documentation/netlink/specs/ipoib.yaml | sort -st_ -k1,1) \
		<(sed -nE 's/^\tIPOIB_GENL_([A-Z_0-9]+)( = 1)?,$/\1/p' \
			include/uapi/rdma/ipoib_genl.h | sort -st_ -k1,1)
}

spelling()
{
	codespell -q 3 -L iif,inflight,nd "${text_files[@]}"
}

# said GATE - what it says; that it still runs goes past it
said()
{
	"$1" 2>&1
}

failed=() passed=0
for gate in build sparse checkpatch kernel_doc shellcheck_all layers internals includes guide netlink_spec complaints spdx \
	versions spelling; do
	began=$SECONDS
	if output=$(still "checking: $gate" said $gate); then
		echo "ok   $gate ($((SECONDS - began)) s)"
		passed=$((passed + 1))
	else
		echo "FAIL $gate ($((SECONDS - began)) s)"
		printf '%s\n' "$output" | sed 's/^/     /'
		failed+=("$gate")
	fi
done
echo "$passed passed, ${#failed[@]} failed, 0 skipped"
[ ${#failed[@]} -eq 0 ]
