#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Shows two hosts talking IP over the driver, in a virtual machine.
set -u
. "$(dirname "$0")/common.sh"

FABRIC=${FABRIC:-ib}
case $FABRIC in
ib)	packages=fabric ;;
roce)	packages='' ;;
*)	die "FABRIC=$FABRIC: neither ib nor roce" ;;
esac
build_for_vm $packages && make -s -C "$top/tools/ipoib" || exit 1
echo "Booting Linux $KVER in a virtual machine (all of it: a minute or two) ..."
exec "${vm[@]}" --timeout 600 -- env FABRIC="$FABRIC" \
	"$top/scripts/demo-guest"
