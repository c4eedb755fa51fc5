// SPDX-License-Identifier: GPL-2.0
#include "ah.h"

#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "stats.h"
#include "txring.h"

/* So old a send is over, if no completion will tell before more is sent: it is a datagram. */
#define SEND_TIME	(10 * HZ)

/**
 * ipoib_ah_new - create an address handle
 * @pd: protection domain of the QP that will send with it
 * @attr: address vector, complete; on RoCE the destination MAC is resolved
 *
 * Return: the handle or an ERR_PTR(): -ENOMEM or what the provider says.
 * Context: Process context, may sleep.
 */
struct ipoib_ah *ipoib_ah_new(struct ib_pd *pd, struct rdma_ah_attr *attr)
{
	struct ipoib_ah *ah;
	struct ib_ah *ib;

	ah = kzalloc(sizeof(*ah), GFP_KERNEL);
	if (!ah)
		return ERR_PTR(-ENOMEM);

	ib = rdma_create_ah(pd, attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ib)) {
		kfree(ah);
		return ERR_CAST(ib);
	}

	ah->ib = ib;
	ah->mtu = UINT_MAX;
	ah->dlid = rdma_ah_get_dlid(attr);
	ah->sl = rdma_ah_get_sl(attr);
	ah->rate = max(ib_rate_to_mbps(rdma_ah_get_static_rate(attr)), 0);
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH)
		ah->hop_limit = rdma_ah_read_grh(attr)->hop_limit;
	if (attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		ether_addr_copy(ah->dmac, attr->roce.dmac);
	ipoib_object_created(IPOIB_OBJ_AH);
	return ah;
}

/**
 * ipoib_ah_free - destroy an address handle
 * @ah: handle that no send in flight names; NULL is fine
 *
 * Context: Process context, may sleep.
 */
void ipoib_ah_free(struct ipoib_ah *ah)
{
	if (!ah)
		return;

	rdma_destroy_ah(ah->ib, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(ah);
	ipoib_object_destroyed(IPOIB_OBJ_AH);
}

/* ---- retired handles ------------------------------------------------------- */

/*
 * What the ring has on it now includes all sends with the handle, because no sender has been able
 * to find the handle for a grace period.
 */
static void wait_for_ring(struct ipoib_ah *ah, unsigned int ring)
{
	ah->ring = ring;
	if (ring < ah->bin->ring_count)
		ah->index = READ_ONCE(ah->bin->rings[ring]->ring.head);
}

/*
 * A ring by which nothing is sent any more may keep packets that no completion tells of, for ever.
 * They were posted in the jiffy in which one was asked for last.
 */
static bool ring_is_done(const struct ipoib_ah *ah)
{
	const struct ipoib_txring *tx = ah->bin->rings[ah->ring];

	if (!ipoib_ring_used(&tx->ring) || (s32)(READ_ONCE(tx->ring.tail) - ah->index) >= 0)
		return true;
	return !ipoib_txring_waits(tx) && time_after(jiffies, READ_ONCE(tx->asked) + SEND_TIME);
}

/*
 * is_idle() has a handle wait for one ring after the other, so that it needs room for one index
 * only. Each ring is waited for once, and no longer than for the packets that it has then.
 */
static bool is_idle(struct ipoib_ah *ah)
{
	lockdep_assert_held(&ah->bin->lock);

	while (ah->ring < ah->bin->ring_count && ring_is_done(ah))
		wait_for_ring(ah, ah->ring + 1);
	return ah->ring == ah->bin->ring_count;
}

static void reap_work(struct work_struct *work)
{
	struct ipoib_ah_bin *bin = container_of(to_delayed_work(work), struct ipoib_ah_bin, reap);
	struct ipoib_ah *ah, *next;
	LIST_HEAD(idle);

	/* Pairs with the barrier in ipoib_ah_bin_reap(). */
	smp_store_mb(bin->soon, false);
	spin_lock_bh(&bin->lock);
	list_for_each_entry_safe(ah, next, &bin->retired, retired) {
		if (is_idle(ah))
			list_move_tail(&ah->retired, &idle);
	}
	if (!list_empty(&bin->retired))
		queue_delayed_work(bin->wq, &bin->reap, SEND_TIME);
	spin_unlock_bh(&bin->lock);

	list_for_each_entry_safe(ah, next, &idle, retired) {
		ipoib_ah_free(ah);
		ipoib_usecnt_put(bin->users);
	}
}

/* The grace period is over, so every send that found the address handle is on a ring. */
static void retire_rcu(struct rcu_head *rcu)
{
	struct ipoib_ah *ah = container_of(rcu, struct ipoib_ah, rcu);
	struct ipoib_ah_bin *bin = ah->bin;

	wait_for_ring(ah, 0);
	spin_lock_bh(&bin->lock);
	list_add_tail(&ah->retired, &bin->retired);
	/*
	 * Queue the work before releasing the lock: after that a running reap_work() may free
	 * @ah and put the last user of the interface, and @bin would be freed.
	 */
	mod_delayed_work(bin->wq, &bin->reap, 0);
	spin_unlock_bh(&bin->lock);
}

/**
 * ipoib_ah_retire - free an address handle once no send uses it
 * @bin: of the interface that sends with @ah
 * @ah: address handle that no new sender can find
 *
 * Context: Any but hard interrupt.
 */
void ipoib_ah_retire(struct ipoib_ah_bin *bin, struct ipoib_ah *ah)
{
	ipoib_usecnt_get(bin->users);
	ah->bin = bin;
	call_rcu(&ah->rcu, retire_rcu);
}

/**
 * ipoib_ah_bin_init - make a bin without rings
 * @bin: @users and @wq are set
 *
 * Context: Process context.
 */
void ipoib_ah_bin_init(struct ipoib_ah_bin *bin)
{
	spin_lock_init(&bin->lock);
	INIT_LIST_HEAD(&bin->retired);
	INIT_DELAYED_WORK(&bin->reap, reap_work);
}

/**
 * ipoib_ah_bin_exit - undo ipoib_ah_bin_init()
 * @bin: empty; nothing is retired any more
 *
 * Context: Process context, may sleep.
 */
void ipoib_ah_bin_exit(struct ipoib_ah_bin *bin)
{
	cancel_delayed_work_sync(&bin->reap);
}

/**
 * ipoib_ah_bin_add_ring - say by which rings sends use address handles
 * @bin: no handle has been retired yet
 * @ring: a send ring, which exists as long as @bin
 *
 * Context: Process context.
 */
void ipoib_ah_bin_add_ring(struct ipoib_ah_bin *bin, const struct ipoib_txring *ring)
{
	if (!WARN_ON(bin->ring_count == IPOIB_MAX_CHANNELS))
		bin->rings[bin->ring_count++] = ring;
}
