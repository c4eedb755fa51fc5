/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_HEX_H
#define _COMPAT_LINUX_HEX_H

/* Until 6.4 it was a part of linux/kernel.h. */
#ifdef HAVE_HEX
#include_next <linux/hex.h>
#else
#include <linux/kernel.h>
#endif

#endif /* _COMPAT_LINUX_HEX_H */
