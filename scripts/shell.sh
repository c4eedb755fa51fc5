#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shell in the virtual machine, with the two hosts of the demonstration.
set -u
. "$(dirname "$0")/common.sh"

FABRIC=${FABRIC:-ib}
case $FABRIC in
ib)	"$top/scripts/need.sh" fabric || exit 1 ;;
roce)	;;
*)	die "FABRIC=$FABRIC: neither ib nor roce" ;;
esac
build_for_vm || exit 1
cd "$top" || exit 1
exec "${vm[@]}" --tty -- env FABRIC="$FABRIC" "$top/scripts/shell-guest"
