/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_LINUX_BUILD_BUG_H
#define _FUZZ_LINUX_BUILD_BUG_H

/* There is no array of a negative size. */
#define static_assert(cond)	extern char static_assertion[(cond) ? 1 : -1]

#endif /* _FUZZ_LINUX_BUILD_BUG_H */
