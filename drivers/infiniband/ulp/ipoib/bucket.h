/* SPDX-License-Identifier: GPL-2.0 */
/* A token bucket: a burst at once, and a bounded rate from then on. */
#ifndef _IPOIB_BUCKET_H
#define _IPOIB_BUCKET_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * struct ipoib_bucket - bound of a rate
 * @interval: nanoseconds that each request takes; 0 if the rate has no bound
 * @slack: how far @paid_until may run ahead of the clock, nanoseconds
 * @paid_until: time up to which all requests so far use up the rate
 *
 * A bucket that is all zero bounds nothing. The owner's lock protects it.
 */
struct ipoib_bucket {
	u64 interval;
	u64 slack;
	u64 paid_until;
};

/* The bucket is full: @burst requests go at once, then @rate a second. Neither may be 0. */
static inline void ipoib_bucket_init(struct ipoib_bucket *bucket, u32 rate,
				     u32 burst)
{
	bucket->interval = div_u64(NSEC_PER_SEC, rate);
	bucket->slack = bucket->interval * (burst - 1);
	bucket->paid_until = 0;
}

/*
 * ipoib_bucket_wait() returns nanoseconds until the next request may go. @now is of a clock that
 * never goes back.
 */
static inline u64 ipoib_bucket_wait(const struct ipoib_bucket *bucket, u64 now)
{
	u64 from = now + bucket->slack;

	return bucket->paid_until > from ? bucket->paid_until - from : 0;
}

/*
 * ipoib_bucket_take() takes a request out of the bucket; it returns false if the rate of the
 * bucket would be exceeded now.
 */
static inline bool ipoib_bucket_take(struct ipoib_bucket *bucket, u64 now)
{
	if (ipoib_bucket_wait(bucket, now))
		return false;

	bucket->paid_until = max(bucket->paid_until, now) + bucket->interval;
	return true;
}

#endif /* _IPOIB_BUCKET_H */
