/* SPDX-License-Identifier: GPL-2.0 */
/* Some hash functions, not the kernel's. */
#ifndef _FUZZ_LINUX_JHASH_H
#define _FUZZ_LINUX_JHASH_H

#include <linux/types.h>

static inline u32 jhash2(const u32 *words, u32 n, u32 seed)
{
	u64 sum = seed;

	while (n--)
		sum = (sum ^ *words++) * 0x9e3779b97f4a7c15ull;
	return sum >> 32;
}

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 seed)
{
	const u32 words[] = { a, b, c };

	return jhash2(words, 3, seed);
}

#endif /* _FUZZ_LINUX_JHASH_H */
