#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does ipoib-internals.rst keep up with the driver? What it names has to be there: functions,
# structures, and members of those. Comments do not count: they may name what has gone as well.
# And it has to name every lock and every work function.
set -u
cd "$(dirname "$0")/.." || exit 1
text=Documentation/infiniband/ipoib-internals.rst
mapfile -t code < <(printf '%s\n' drivers/infiniband/ulp/ipoib/*.[ch] | grep -v '\.mod\.c$')
status=0

# The kernel's own, which the driver does not call by these names
others=(icmp_send netdev_run_todo)

complain()
{
	echo "$text: $*"
	status=1
}

# bare - the code without comments
bare()
{
	perl -0pe 's{/\*.*?\*/}{ }gs' "${code[@]}"
}

# members [TYPES] - STRUCT.MEMBER of all structures, or of members of these types
members()
{
	awk -v types="${1-}" '
		/^struct [a-z_]+ \{/	{ name = $2 }
		/^}/			{ name = "" }
		name && /^\t/ && $0 ~ types {
			sub(/[;[].*/, "")
			sub(/\).*/, "")		# the name of a function pointer stands before that
			sub(/.*[^a-z_0-9]/, "")
			print name "." $0
		}' "${code[@]}"
}

while read -r name; do
	complain "there is no $name()"
done < <(
	grep -oE '\b[a-z_][a-z_0-9]*\(\)' "$text" | tr -d '()' | sort -u |
		grep -vxFf <(printf '%s\n' "${others[@]}"; bare | grep -oE '\b[a-z_][a-z_0-9]*\b')
)

while read -r name; do
	grep -qE "^$name \{" "${code[@]}" || complain "there is no $name"
done < <(grep -oE '\b(struct|enum) ipoib_[a-z_]+' "$text" | sort -u)

all=$(members)
while read -r name; do
	grep -qxF -- "$name" <<< "$all" || complain "there is no $name"
done < <(grep -oE '``ipoib_[a-z_]+\.[a-z_]+' "$text" | tr -d '`' | sort -u)

while read -r name; do
	grep -qw -- "$name" "$text" || complain "nothing is said of the lock $name"
done < <(
	members '^\t(spinlock_t|struct mutex) '
	sed -nE 's/^static DEFINE_(SPINLOCK|MUTEX)\((.*)\);/\2/p' "${code[@]}"
)

while read -r name; do
	grep -qw -- "$name" "$text" || complain "nothing is said of $name()"
done < <(sed -nE 's/^static void ([a-z_0-9]+)\(struct work_struct \*work\)$/\1/p' "${code[@]}" | sort -u)
exit $status
