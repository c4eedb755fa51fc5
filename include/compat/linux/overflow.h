/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_OVERFLOW_H
#define _COMPAT_LINUX_OVERFLOW_H

#include_next <linux/overflow.h>

/* Of 6.5, and some later releases of older kernels have it, too. */
#ifndef struct_size_t
#define struct_size_t(type, member, count)	\
	struct_size((type *)NULL, member, count)
#endif

#endif /* _COMPAT_LINUX_OVERFLOW_H */
