// SPDX-License-Identifier: GPL-2.0
#include "backoff.h"

#include <linux/math64.h>
#include <linux/minmax.h>

/**
 * ipoib_backoff_ms - delay before the next try
 * @limits: shortest and longest delay
 * @failures: failures in a row, at least one
 * @random: 32 random bits
 *
 * The delay doubles with each failure up to @limits->max_ms. A quarter of it is random, so that
 * a thousand nodes whose SM came back do not send requests at the same time.
 *
 * Return: milliseconds, from 3/4 of the doubled delay up to all of it.
 * Context: Any.
 */
u32 ipoib_backoff_ms(const struct ipoib_backoff *limits, u32 failures,
		     u32 random)
{
	u32 shift = min(failures ? failures - 1 : 0, 32u);
	u64 full = min((u64)limits->min_ms << shift, (u64)limits->max_ms);

	return full - mul_u64_u32_shr(full / 4, random, 32);
}

/**
 * ipoib_backoff_spread - time until a periodic action is due again
 * @period: the mean period, in any unit
 * @random: 32 random bits
 *
 * Nodes that began at the same time, because of an SM that came back, drift apart.
 *
 * Return: from 3/4 of the period to 5/4.
 * Context: Any; pure.
 */
unsigned long ipoib_backoff_spread(unsigned long period, u32 random)
{
	return period - period / 4 + mul_u64_u32_shr(period / 2, random, 32);
}
