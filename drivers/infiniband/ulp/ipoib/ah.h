/* SPDX-License-Identifier: GPL-2.0 */
/* Address handles: what a datagram is sent with, and when a handle may be freed. */
#ifndef _IPOIB_AH_H
#define _IPOIB_AH_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "usecnt.h"

/* Most channels of an interface. Each has a ring of sends that use address handles. */
#define IPOIB_MAX_CHANNELS	8

/* Between a poll by which a handle may be free and the look whether it is: so polls share one. */
#define IPOIB_AH_REAP_DELAY	(HZ / 50)

struct ipoib_ah_bin;
struct ipoib_txring;

/**
 * struct ipoib_ah - address handle of one peer
 * @ib: the verbs object
 * @dlid: LID that it leads to; 0 on RoCE
 * @dmac: MAC address that it leads to, on RoCE only
 * @sl: service level
 * @hop_limit: that of the GRH; 0 without one
 * @rate: packets go no faster, Mbit/s; 0 if only the port limits them
 * @mtu: longest IP packet that the path carries, octets; UINT_MAX by ipoib_ah_new(), and
 *	constant once the handle is published
 * @rcu: waits for a grace period, after which no send can pick the handle up
 * @bin: where the handle waits to be freed
 * @retired: entry of the list of @bin
 * @ring: index of the ring of @bin that may still have sends with the handle, as all after it may
 * @index: that ring has none any more when its tail has come this far
 *
 * A peer makes a handle by ipoib_ah_new(), publishes it under RCU, and retires it when it has a
 * newer one. A provider may read the handle until the last send that names it has completed
 * (soft-RoCE does).
 */
struct ipoib_ah {
	struct ib_ah *ib;
	u32 dlid;
	u8 dmac[ETH_ALEN];
	u8 sl;
	u8 hop_limit;
	u8 ring;
	u32 rate;
	unsigned int mtu;
	u32 index;
	struct rcu_head rcu;
	struct list_head retired;
	struct ipoib_ah_bin *bin;
};

/**
 * struct ipoib_ah_bin - retired address handles of an interface
 * @rings: the send rings; constant once the interface can send
 * @ring_count: how many there are
 * @users: users of the interface; each retired handle counts as one
 * @wq: runs @reap
 * @lock: protects @retired
 * @retired: retired handles that sends may still use
 * @reap: frees those of @retired that no send uses any more
 * @soon: @reap is about to run, because a ring has moved
 */
struct ipoib_ah_bin {
	const struct ipoib_txring *rings[IPOIB_MAX_CHANNELS];
	unsigned int ring_count;
	struct ipoib_usecnt *users;
	struct workqueue_struct *wq;
	spinlock_t lock;	/* retired */
	struct list_head retired;
	struct delayed_work reap;
	bool soon;
};

struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr);
void ipoib_ah_free(struct ipoib_ah *ah);

void ipoib_ah_bin_init(struct ipoib_ah_bin *bin);
void ipoib_ah_bin_exit(struct ipoib_ah_bin *bin);
void ipoib_ah_bin_add_ring(struct ipoib_ah_bin *bin, const struct ipoib_txring *ring);
void ipoib_ah_retire(struct ipoib_ah_bin *bin, struct ipoib_ah *ah);

/*
 * A ring of @bin has moved, so sends may be done with some handles. Any context. A handle may wait
 * for a ring that does not move while others do, poll after poll.
 */
static inline void ipoib_ah_bin_reap(struct ipoib_ah_bin *bin)
{
	if (likely(list_empty(&bin->retired)))
		return;
	/* Pairs with the barrier in reap_work(), which sees how far the ring is, or is queued. */
	smp_mb();
	if (READ_ONCE(bin->soon))
		return;
	WRITE_ONCE(bin->soon, true);
	mod_delayed_work(bin->wq, &bin->reap, IPOIB_AH_REAP_DELAY);
}

#endif /* _IPOIB_AH_H */
