/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lies in which cache line, for static_assert(). What one channel or bundle writes for each
 * packet must not be in a line that another one writes, or that all of them read for each packet:
 * CPUs would wait for each other though they share nothing. Without SMP everything is apart.
 *
 * What begins with a line by ____cacheline_aligned_in_smp does so everywhere. Between other members
 * there is room enough where lines have 64 octets and pointers 8, so only there it is looked at.
 */
#ifndef _IPOIB_APART_H
#define _IPOIB_APART_H

#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/kconfig.h>
#include <linux/stddef.h>

#define IPOIB_LOOKS	\
	(IS_ENABLED(CONFIG_SMP) && IS_ENABLED(CONFIG_64BIT) && SMP_CACHE_BYTES == 64)

#define IPOIB_FIRST_LINE(_type, _member)	(offsetof(_type, _member) / SMP_CACHE_BYTES)
#define IPOIB_LAST_LINE(_type, _member)		\
	((offsetofend(_type, _member) - 1) / SMP_CACHE_BYTES)

/* The structure has no line in common with its neighbours, in an array or in another structure. */
#define IPOIB_HAS_ITS_LINES(_type)		\
	(!IS_ENABLED(CONFIG_SMP) || __alignof__(_type) % SMP_CACHE_BYTES == 0)

/* No line has a part of both members. kmalloc() has the structure begin with a line. */
#define IPOIB_APART(_type, _a, _b)		\
	(!IPOIB_LOOKS ||			\
	 IPOIB_LAST_LINE(_type, _a) < IPOIB_FIRST_LINE(_type, _b) ||	\
	 IPOIB_LAST_LINE(_type, _b) < IPOIB_FIRST_LINE(_type, _a))

#endif /* _IPOIB_APART_H */
