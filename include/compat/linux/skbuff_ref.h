/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_SKBUFF_REF_H
#define _COMPAT_LINUX_SKBUFF_REF_H

/* Until 6.10 it was a part of linux/skbuff.h. */
#ifdef HAVE_SKBUFF_REF
#include_next <linux/skbuff_ref.h>
#else
#include <linux/skbuff.h>
#endif

#endif /* _COMPAT_LINUX_SKBUFF_REF_H */
