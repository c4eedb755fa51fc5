// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/minmax.h>

#include "backoff.h"

/**
 * ipoib_backoff_ms - delay before the next try
 * @limits: shortest and longest delay
 * @failures: failures in a row, at least one
 * @random: 32 random bits
 *
 * The delay doubles with each failure up to the cap. A quarter of it is left
 * to chance, so that a thousand nodes whose SM came back do not ask at once.
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
