#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files include what they use, so that they do not depend on what other headers happen to
# include, which differs between architectures and kernels.
#
# Every file of ours includes its own header first: so the build has compiled that header
# alone. Headers without a file of their own have targets NAME.hdrtest in the Makefiles.
#
# The compiler accepts what comes by way of another header. So for pure files, which
# also user space and user mode kernels compile, names are looked for that have one header.
set -u
self=$(realpath "$0")
cd "${self%/*}/../drivers/infiniband" || exit 1

# header	names that it declares, as an extended regular expression
homes='
asm/byteorder.h	cpu_to_[bl]e(16|32|64)|[bl]e(16|32|64)_to_cpu|[hn]to[hn][sl]
linux/bitfield.h	FIELD_(GET|PREP)
linux/bits.h	BIT(_ULL)?|GENMASK(_ULL)?
linux/build_bug.h	static_assert|BUILD_BUG_ON
linux/compiler.h	(READ|WRITE)_ONCE
linux/errno.h	E[A-Z]{2,}
linux/jhash.h	jhash(2|_[123]words?)?
linux/kernel.h	ARRAY_SIZE
linux/math64.h	(div|mul)_u64(_rem|_u32_shr)?|div64_u64
linux/minmax.h	((min|max)(3|_t)?|clamp(_t|_val)?|swap)\(
linux/string.h	mem(chr_inv|cmp|cpy|move|set)|str(cmp|lcpy|len|scpy)
linux/types.h	bool|[su](8|16|32|64)|__[bl]e(16|32|64)|size_t
'

status=0
complain()
{
	echo "drivers/infiniband/$*"
	status=1
}

# names_in FILE - that are neither in comments, nor in strings, nor members; calls have a "("
names_in()
{
	gcc -fpreprocessed -dD -E -P "$1" | sed -E '/^#include/d; s/"([^"\\]|\\.)*"//g; s/(\.|->)\w+//g' |
		grep -oE '\w+\(?' | sort -u
}

# of_floor_0 FILE - are all the names that it uses declared by headers that it includes, or that
# its own one does?
of_floor_0()
{
	local own=${1%.c}.h included names header pattern name

	[ "$own" != "$1" ] && [ -e "$own" ] || own=
	included=$(sed -nE 's/^#include <(.*)>/\1/p' "$1" ${own:+"$own"})
	names=$(names_in "$1")
	while IFS=$'\t' read -r header pattern; do
		[[ -n $header && $'\n'$included$'\n' != *$'\n'$header$'\n'* ]] || continue
		name=$(grep -xE -m1 "($pattern)\(?" <<< "$names") &&
			complain "$1: uses ${name%(} and does not include <$header>"
	done <<< "$homes"
}

for dir in ulp/ipoib sw/ibdevsim; do
	for file in "$dir"/{,tests/}*.h; do
		file=${file%.h}.c name=${file##*/}
		[ -e "$file" ] || continue
		[ "$(grep -m1 '^#include' "$file")" = "#include \"${name%.c}.h\"" ] ||
			complain "$file: does not include its own header first"
	done
	for name in $("${self%/*}/layers.sh" $dir pure); do
		for file in "$dir/$name".[ch]; do
			of_floor_0 "$file"
		done
	done
done
exit $status
