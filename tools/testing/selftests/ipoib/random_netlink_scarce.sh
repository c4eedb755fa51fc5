#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Extended: few kernels can have allocations fail
#
# Requests as those of random_netlink.sh, for each of which one allocation fails: what is malformed
# is refused all the same, and what is refused has made or removed nothing. Then, with memory, all
# is as ever.
#
# SEED       the requests follow from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"

requests()
{
	in_sysfs "$h1" perl "$here/lib/random_netlink.pl" "$SEED" "$@"
}

needs_fail_nth
plan 2
note "SEED=${SEED:=1}"
allocations_may_fail
ib_fabric 1
setup host 1
check "without memory what is refused does nothing" requests "$(much 400)" 300
check "with memory what is right is taken" requests "$(much 50)"
