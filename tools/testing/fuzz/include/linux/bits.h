/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_LINUX_BITS_H
#define _FUZZ_LINUX_BITS_H

#define BIT(n)			(1ul << (n))
#define GENMASK(high, low)	((~0ul >> (63 - (high))) & (~0ul << (low)))

#endif /* _FUZZ_LINUX_BITS_H */
