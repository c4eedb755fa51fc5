#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Also: stock
#
# ib_ipoib owns the same link type: beside it this module does not load, and
# says so.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

names_culprit()
{
	kernel_log | grep '^\[.*ipoib: ' | grep ib_ipoib
}

plan 4
setup rmmod ipoib
! on_ib || setup bare_fabric 1
# Whatever modprobe is told to load in its stead.
must "the kernel's own driver loads" modprobe -C /dev/null ib_ipoib
check "ours does not beside it" not load_ipoib
check "the kernel log names ib_ipoib" names_culprit
setup rmmod ib_ipoib
check "ours loads once it is gone" load_ipoib
