#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shell in the virtual machine, with the two hosts of the demonstration.
set -u
. "$(dirname "$0")/common.sh"

FABRIC=${FABRIC:-ib}
case $FABRIC in
ib)	packages=fabric ;;
roce)	packages='' ;;
*)	die "FABRIC=$FABRIC: neither ib nor roce" ;;
esac
build_for_vm $packages && make -s -C "$top/tools/ipoib" || exit 1
cd "$top" || exit 1
echo "Booting Linux $KVER in a virtual machine (less than a minute) ..."
exec "${vm[@]}" --tty -- env FABRIC="$FABRIC" "$top/scripts/shell-guest"
