/* SPDX-License-Identifier: GPL-2.0 */
/* Delays between tries: exponential, capped, with jitter; or a period with jitter. */
#ifndef _IPOIB_BACKOFF_H
#define _IPOIB_BACKOFF_H

#include <linux/types.h>

/**
 * struct ipoib_backoff - limits of a retry delay
 * @min_ms: delay after the first failure, milliseconds; not 0
 * @max_ms: longest delay, milliseconds
 */
struct ipoib_backoff {
	u32 min_ms;
	u32 max_ms;
};

u32 ipoib_backoff_ms(const struct ipoib_backoff *limits, u32 failures,
		     u32 random);
unsigned long ipoib_backoff_spread(unsigned long period, u32 random);

#endif /* _IPOIB_BACKOFF_H */
