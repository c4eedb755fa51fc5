#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Shows two hosts talking IP over the driver, in a virtual machine.
set -u
. "$(dirname "$0")/common.sh"

FABRIC=${FABRIC:-ib}
case $FABRIC in
ib)	"$top/scripts/need.sh" fabric || exit 1 ;;
roce)	;;
*)	die "FABRIC=$FABRIC: neither ib nor roce" ;;
esac
build_for_vm || exit 1
echo "Booting Linux $KVER in a virtual machine ..."
exec "${vm[@]}" --timeout 280 -- env FABRIC="$FABRIC" \
	"$top/scripts/demo-guest"
