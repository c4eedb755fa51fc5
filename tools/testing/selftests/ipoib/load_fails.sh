#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: ib
# Kernel: not locks, for bus_register() there ends a key that it has not registered, and warns
# Extended: few kernels can have allocations fail
#
# If one allocation fails while a module is loaded, it is not loaded and leaves nothing
# behind, or does without.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib/fail_nth.sh
. "$here/lib/fail_nth.sh"

needs_fail_nth
[[ ${IPOIB_KO:-$(modinfo -n ipoib)} == *.ko ]] ||
	{ echo "1..0 # SKIP the module is compressed"; exit 4; }
plan 4
allocations_may_fail
setup rmmod ipoib
ko=${IPOIB_KO:-$(modinfo -n ipoib)}
first=$(until_init "$ko" kind=) || exit
check_each "the driver" -- "$ko=kind=$kind" -ipoib /sys/module/ipoib "$first"
ko=$(sim_ko ibdevsim)
first=$(until_init "$ko" hcas=300) || exit
check_each "the fabric" -- "$ko=hcas=0" -ibdevsim /sys/module/ibdevsim "$first"

setup load_ipoib
ib_fabric 2
setup host 1
setup host 2
check "hosts get a carrier" eventually is_up "$h2"
check "and talk" eventually ping_all "$h1" 10.0.0.2 -w 2
