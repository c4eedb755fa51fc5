/* SPDX-License-Identifier: GPL-2.0 */
/* A usage count whose owner can wait until it drops to zero. */
#ifndef _IPOIB_USERS_H
#define _IPOIB_USERS_H

#include <linux/completion.h>
#include <linux/refcount.h>

/**
 * struct ipoib_users - users of an object that does not free itself
 * @count: one for the creator of the object, one for each user
 * @gone: completed when @count reaches zero
 *
 * Embedded in the object. Unlike the last kref_put(), the last ipoib_users_put() frees nothing:
 * the creator sleeps in ipoib_users_wait() and frees the object afterwards.
 */
struct ipoib_users {
	refcount_t count;
	struct completion gone;
};

static inline void ipoib_users_init(struct ipoib_users *users)
{
	refcount_set(&users->count, 1);
	init_completion(&users->gone);
}

static inline void ipoib_users_get(struct ipoib_users *users)
{
	refcount_inc(&users->count);
}

static inline void ipoib_users_put(struct ipoib_users *users)
{
	if (refcount_dec_and_test(&users->count))
		complete(&users->gone);
}

/*
 * Drop the creator's count and wait for all users. By now each user has been told to end and
 * needs nothing but its work item to run, so the wait is short. There is no deadline, because
 * giving up would mean freeing memory in use. Process context, may sleep.
 */
static inline void ipoib_users_wait(struct ipoib_users *users)
{
	ipoib_users_put(users);
	wait_for_completion(&users->gone);
}

#endif /* _IPOIB_USERS_H */
