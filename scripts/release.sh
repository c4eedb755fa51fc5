#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# release.sh KDIR - the release of the kernel whose build tree that is. Debian's
# make kernelrelease and kernel.release say something else than uname does.
cut -d '"' -f 2 "$1/include/generated/utsrelease.h"
