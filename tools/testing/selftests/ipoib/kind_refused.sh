#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fabrics: roce
#
# The module does not load with a link kind that cannot be one, and says why.

# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# loads KIND
loads()
{
	local kind=$1

	load_ipoib
}

plan 5
setup rmmod ipoib
check "none" not loads ''
check "one that is too long" not loads sixteen_letters_
check "one that cannot be the name of a directory" not loads a/b
check "the log says why" [ "$(kernel_log | grep -c 'kind: not a name')" -eq 3 ]
check "the longest one" loads fifteen_letters
setup rmmod ipoib
setup load_ipoib
