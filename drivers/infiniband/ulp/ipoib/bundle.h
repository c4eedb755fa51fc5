/* SPDX-License-Identifier: GPL-2.0 */
/* Bundles: the connections of an interface, parted so that senders seldom share anything. */
#ifndef _IPOIB_BUNDLE_H
#define _IPOIB_BUNDLE_H

#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/spinlock.h>

#include "addr.h"
#include "apart.h"
#include "stats.h"

/**
 * struct ipoib_bundle - the connections to peers whose addresses have one hash
 * @lock: protects what the peers know of their connections, and what these send with; BH off. It
 *	nests inside the TX lock of any queue, and the lock of a set of connections nests inside it
 * @stats: counters of packets sent by these connections; @lock
 *
 * Part of an interface, which has one for each queue that it could have. The bundle of a peer
 * stays the same for as long as the interface exists, however many of the queues are used and
 * whichever set of connections there is: the lock of the set would be another one after each
 * change of a setting.
 */
struct ipoib_bundle {
	spinlock_t lock;	/* rings and peers of the connections */
	struct ipoib_tx_stats stats;
} ____cacheline_aligned_in_smp;

static_assert(IPOIB_HAS_ITS_LINES(struct ipoib_bundle));

/* ipoib_bundle_of() returns which of @count bundles the connections to a peer are in. */
static inline unsigned int ipoib_bundle_of(const struct ipoib_hwaddr *addr, unsigned int count)
{
	return reciprocal_scale(ipoib_hwaddr_spread(addr), count);
}

#endif /* _IPOIB_BUNDLE_H */
