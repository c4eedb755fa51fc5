# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Which tests run-tests.sh runs, and in which order: to be sourced by it. A test on a fabric is
# called SUITE:FILE@FABRIC, and SUITE:FILE@FABRIC+WORD if that is to be its seed or its profile.

# shellcheck disable=SC2153,SC2154	# who sources this has set kernel and SEED
selftests=$top/tools/testing/selftests
table=$cache/seconds-$kernel
# Those of ibdevsim whose HCAs can be in groups, but for that which tests have otherwise
profiles=(mlx4 mlx5 mthca qib hfi1 irdma)

# list_tests - sets tests to all that there are for the kernel, busy to those with traffic,
# wanted to those that want it
list_tests()
{
	local suite list t whose=$kernel

	[ "${PROFILE-}" != each ] || whose=profiles
	tests=() busy=' ' wanted=' '
	for suite in ipoib ibdevsim checkers tools; do
		case $kernel:$suite in
		stock:checkers | kcsan:tools) continue ;;
		lockstat:ipoib | virtual:ipoib) ;;
		lockstat:* | virtual:*) continue ;;
		esac
		list=$(make -s -C "$selftests/$suite" KERNEL="$kernel" SEEDS="${SEEDS-}" list) ||
			die "no list of $suite"
		[ -n "$list" ] || die "no tests in $suite"
		for t in $list; do
			[[ $t == *@@(roce|ib|$kernel) ]] ||
				die "$suite/$t: no such fabric"
			tests+=("$suite:$t")
		done
		for t in $(make -s -C "$selftests/$suite" KERNEL=kcsan list); do
			busy+="$suite:$t "
		done
		for t in $(make -s -C "$selftests/$suite" KERNEL="$whose" chosen); do
			wanted+="$suite:$t "
		done
	done
}

# chosen NAME - those that it stands for: SUITE/ for all of that suite
chosen()
{
	local suite=ipoib name=$1 fabric='*' t

	[[ $name != */* ]] || suite=${name%%/*} name=${name#*/}
	[[ $name != *@* ]] || fabric=${name#*@} name=${name%@*}
	for t in "${tests[@]}"; do
		# shellcheck disable=SC2053	# a pattern
		if [ "$1" = chosen ]; then
			[[ $wanted != *" $t "* ]] || echo "$t"
		elif [ -z "$name" ]; then
			[[ $t != "$suite:"* ]] || echo "$t"
		elif [[ $t == "$suite:${name%.sh}"?(.sh)@$fabric ]]; then
			echo "$t"
		fi
	done | grep . || die "no test $1 for the kernel \"$kernel\""
}

# one_fabric_each - of tests: in turn, each where the one before was not
one_fabric_each()
{
	mapfile -t tests < <(printf '%s\n' "${tests[@]}" | awk -F @ -v n=$((SEED % 2)) '
		$2 !~ /^(ib|roce)$/ { print; next }
		!($1 in fabrics) { order[++count] = $1 }
		{ fabrics[$1] = fabrics[$1] " " $2 }
		END {
			for (i = 1; i <= count; i++) {
				split(fabrics[order[i]], f, " ")
				print order[i] "@" (2 in f ? f[1 + n++ % 2] : f[1])
			}
		}')
}

# once_for_each WORD... - of tests: each with each of them
once_for_each()
{
	local t

	for t in "${tests[@]}"; do
		printf '%s\n' "${@/#/$t+}"
	done
}

# suitable - of tests: those that are for the HCAs that they would be on. A test that is not for
# some has a line "# HCAs: not NAME..., for WHY". With SWIOTLB none is for hfi1: the kernel's ib_mad
# would have nothing mapped where it refuses a management packet of Omni-Path's.
suitable()
{
	local t kind file unfit=()

	for t in "${tests[@]}"; do
		kind=$PROFILE
		[ "$kind" != each ] || kind=${t##*+}
		file=${t%@*} file=${file#*:}
		if [ "${SWIOTLB:+$kind}" = hfi1 ] ||
			grep -q "^# HCAs: not .*\<$kind\>.*, for " "$selftests/${t%%:*}/$file"; then
			unfit+=("$t")
		else
			echo "$t"
		fi
	done
	[ ${#unfit[@]} -eq 0 ] ||
		echo "not for HCAs of that kind: ${unfit[*]}" >&2
}

# know_times - sets seconds_of to what each test took the last time, here, or on the other
# fabric, or the mean of all
know_times()
{
	local took t other mean=10

	declare -gA seconds_of=()
	if [ -s "$table" ]; then
		while read -r took t; do
			seconds_of[$t]=$took
		done < "$table"
		mean=$(awk '{ s += $1 } END { print int(s / NR) + 1 }' "$table")
	fi
	for t in "${tests[@]}"; do
		case $t in
		*@ib) other=${t%@*}@roce ;;
		*+*) other=${t%+*} ;;
		*) other=${t%@*}@ib ;;
		esac
		: "${seconds_of[$t]:=${seconds_of[$other]:-$mean}}"
	done
}

# changed_lately - names of the tests that were
changed_lately()
{
	local now

	now=$(git -c safe.directory='*' -C "$top" log -1 --format=%ct 2> /dev/null) || return 0
	git -c safe.directory='*' -C "$top" log --since=$((now - 86400)) --format= --name-only -- tools/testing/selftests |
		sed -n 's,.*/selftests/\([^/]*\)/\([^/]*\)$,\1:\2,p' | sort -u
}

# in_order - prints tests, the longest first, for none is to be alone at the end while other
# machines have nothing to do; or, if there is not time for all, as SEED has it, what was
# changed first of all
in_order()
{
	local t key lately

	lately=" $(changed_lately | tr '\n' ' ')"
	for t in "${tests[@]}"; do
		key=${seconds_of[$t]}
		if [ "${BUDGET:-0}" -gt 0 ]; then
			key=$(cksum <<< "$SEED $t")
			key=${key%% *}
			[[ $lately != *" ${t%@*} "* ]] || key=${key}0000000000
		fi
		echo "$key $t"
	done | sort -s -k 1,1nr | cut -d ' ' -f 2
}

# choose_tests - sets tests to what is to run, in that order
choose_tests()
{
	local list t

	list_tests
	[ "${PROFILE-}" != each ] || : "${TESTS:=chosen}"
	if [ -n "${TESTS-}" ]; then
		list=$(for t in ${TESTS//,/ }; do chosen "$t"; done) || exit 1
		mapfile -t tests < <(awk '!seen[$0]++' <<< "$list")
	else
		# They are about other people's programs, which have to be fetched.
		mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -v '^tools:')
		# Where time is short they have a run of their own, which compiles them once.
		[ "${BUDGET:-0}" -eq 0 ] || mapfile -t tests < <(printf '%s\n' "${tests[@]}" |
			grep -v '^checkers:unit_tests\.sh')
	fi
	case $FABRICS in
	one) one_fabric_each ;;
	roce | ib) mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep "@$FABRICS\$") ;;
	esac
	if [ -n "${SEEDS-}" ]; then
		mapfile -t list < <(seq "$SEED" $((SEED + SEEDS - 1)))
		mapfile -t tests < <(once_for_each "${list[@]}")
	elif [ "${PROFILE-}" = each ]; then
		mapfile -t tests < <(once_for_each "${profiles[@]}")
	fi
	[ -z "$PROFILE" ] || mapfile -t tests < <(suitable)
	[ ${#tests[@]} -gt 0 ] || die "of these tests none is for that fabric, or for such HCAs"
	[ "$FABRICS" = both ] && [[ ${tests[*]} != *soak* ]] && [ "${BUDGET:-0}" -eq 0 ] ||
		echo "Which tests are on which fabric, their order, and the soak, follow from SEED=$SEED"
	know_times
	mapfile -t tests < <(in_order)
}

# remember - what the tests took that passed
remember()
{
	mkdir -p "$cache"
	{
		sed 's/+.*//' "$results/seconds"
		cat "$table" 2> /dev/null
	} | awk '!seen[$2]++' > "$table.$$" && mv "$table.$$" "$table"
}
