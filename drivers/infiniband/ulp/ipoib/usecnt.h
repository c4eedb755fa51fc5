/* SPDX-License-Identifier: GPL-2.0 */
/* A usage count whose owner can wait until it drops to zero. */
#ifndef _IPOIB_USECNT_H
#define _IPOIB_USECNT_H

#include <linux/completion.h>
#include <linux/refcount.h>

/**
 * struct ipoib_usecnt - users of an object that does not free itself
 * @count: one for the creator of the object, one for each user
 * @gone: completed when @count reaches zero
 *
 * Embedded in the object. Unlike the last kref_put(), the last ipoib_usecnt_put() frees nothing:
 * the creator sleeps in ipoib_usecnt_drain() and frees the object afterwards.
 */
struct ipoib_usecnt {
	refcount_t count;
	struct completion gone;
};

static inline void ipoib_usecnt_init(struct ipoib_usecnt *usecnt)
{
	refcount_set(&usecnt->count, 1);
	init_completion(&usecnt->gone);
}

static inline void ipoib_usecnt_get(struct ipoib_usecnt *usecnt)
{
	refcount_inc(&usecnt->count);
}

static inline void ipoib_usecnt_put(struct ipoib_usecnt *usecnt)
{
	if (refcount_dec_and_test(&usecnt->count))
		complete(&usecnt->gone);
}

/*
 * Drop the creator's count and wait for all users. By now each user has been told to end and
 * needs nothing but its work item to run, so the wait is short. There is no deadline, because
 * giving up would mean freeing memory in use. Process context, may sleep.
 */
static inline void ipoib_usecnt_drain(struct ipoib_usecnt *usecnt)
{
	ipoib_usecnt_put(usecnt);
	wait_for_completion(&usecnt->gone);
}

#endif /* _IPOIB_USECNT_H */
