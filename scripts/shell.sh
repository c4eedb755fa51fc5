#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shell in the virtual machine, with the two hosts of the demonstration.
set -u
. "$(dirname "$0")/common.sh"

build_for_vm || exit 1
cd "$top" || exit 1
exec "${vm[@]}" --tty -- "$top/scripts/shell-guest"
