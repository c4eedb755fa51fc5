/* SPDX-License-Identifier: GPL-2.0 */
/* Counts what still needs an object, so that its end can be waited for. */
#ifndef _IPOIB_USERS_H
#define _IPOIB_USERS_H

#include <linux/completion.h>
#include <linux/refcount.h>

/**
 * struct ipoib_users - users of an object that does not free itself
 * @count: one for the creator, one for each user
 * @gone: completed when @count reaches zero
 *
 * Lives inside the object. Unlike a kref the last put frees nothing: the
 * creator sleeps in ipoib_users_wait() and then takes the object apart.
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
 * Drop the creator's count and wait for the others. Each of them has ended
 * already or is on a work queue with nothing to wait for, so there is no
 * deadline: giving up would mean freeing memory in use. Process context.
 */
static inline void ipoib_users_wait(struct ipoib_users *users)
{
	ipoib_users_put(users);
	wait_for_completion(&users->gone);
}

#endif /* _IPOIB_USERS_H */
