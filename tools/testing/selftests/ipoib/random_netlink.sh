#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
#
# Requests by netlink to make, change and delete children, in most of which one attribute is
# missing, or has any length or value: what is malformed is refused, and makes nothing; what
# is right is taken, whatever was asked for before.
#
# SEED       the requests follow from it (1)

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

plan 1
note "SEED=${SEED:=1}"
ib_fabric 1
setup host 1
check "what is malformed is refused, and nothing else" \
	in_sysfs "$h1" perl "$here/lib/random_netlink.pl" "$SEED" "$(much 200)"
