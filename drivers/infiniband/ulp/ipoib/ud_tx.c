// SPDX-License-Identifier: GPL-2.0
#include "ud_tx.h"

#include <linux/vmalloc.h>

#include "poll.h"

/* A stopped queue is woken when so many slots are free. */
#define WAKE_SPACE	(IPOIB_UD_TX_SLOTS / 4)

static int tx_poll(struct napi_struct *napi, int budget);
static void reap_work(struct work_struct *work);

/**
 * ipoib_ud_tx_init - make a send ring, stopped and without slots
 * @tx: @dev, @txq, @qp, @drops, @users, @wq, @failed and @ctx are set
 *
 * Context: Process context.
 */
void ipoib_ud_tx_init(struct ipoib_ud_tx *tx)
{
	ipoib_ring_init(&tx->ring.ring, IPOIB_UD_TX_SLOTS);
	tx->ring.qp = tx->qp->ib;
	tx->ring.stats = &tx->stats;
	tx->ring.drops = tx->drops;
	u64_stats_init(&tx->stats.syncp);
	init_completion(&tx->drained);
	spin_lock_init(&tx->retired_lock);
	INIT_LIST_HEAD(&tx->retired);
	INIT_WORK(&tx->reap, reap_work);
	netif_napi_add_tx(tx->dev, &tx->napi, tx_poll);
}

/**
 * ipoib_ud_tx_exit - the end of a send ring
 * @tx: stopped, without slots; no users of the interface are left
 *
 * Context: Process context, may sleep.
 */
void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx)
{
	cancel_work_sync(&tx->reap);
	netif_napi_del(&tx->napi);
}

/**
 * ipoib_ud_tx_alloc - give a ring its slots
 * @tx: stopped, without slots
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx)
{
	struct ipoib_txring *ring = &tx->ring;

	ring->slots = vcalloc(IPOIB_UD_TX_SLOTS, sizeof(*ring->slots));
	ring->batch = vzalloc(sizeof(*ring->batch));
	if (ring->slots && ring->batch)
		return 0;

	ipoib_ud_tx_free(tx);
	return -ENOMEM;
}

/**
 * ipoib_ud_tx_free - take a ring's slots away
 * @tx: stopped and empty
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_tx_free(struct ipoib_ud_tx *tx)
{
	vfree(tx->ring.batch);
	vfree(tx->ring.slots);
	tx->ring.batch = NULL;
	tx->ring.slots = NULL;
}

/**
 * ipoib_ud_tx_start - accept packets
 * @tx: stopped, with slots; its QP can send
 * @qkey: Q_Key of the link
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_tx_start(struct ipoib_ud_tx *tx, u32 qkey)
{
	tx->qkey = qkey;
	tx->ring.epoch++;
	tx->ring.unsignaled = 0;
	WRITE_ONCE(tx->draining, false);
	napi_enable(&tx->napi);

	/* What completed before the CQ was armed has no other announcement. */
	ib_req_notify_cq(tx->qp->send_cq, IB_CQ_NEXT_COMP);
	ipoib_poll_soon(&tx->napi);

	__netif_tx_lock_bh(tx->txq);
	WRITE_ONCE(tx->running, true);
	if (!tx->held(tx->ctx))
		netif_tx_wake_queue(tx->txq);
	__netif_tx_unlock_bh(tx->txq);
}

/**
 * ipoib_ud_tx_stop - accept no more packets
 * @tx: running or stopped
 *
 * Context: Process context; the device's lock is held.
 */
void ipoib_ud_tx_stop(struct ipoib_ud_tx *tx)
{
	__netif_tx_lock_bh(tx->txq);
	WRITE_ONCE(tx->running, false);
	netif_tx_stop_queue(tx->txq);
	__netif_tx_unlock_bh(tx->txq);
}

/**
 * ipoib_ud_tx_drain - wait until all packets have completed
 * @tx: stopped; its QP is in the error state, so they will
 * @deadline: jiffies
 *
 * Return: false if some have not by the deadline.
 * Context: Process context, may sleep; the device's lock is held.
 */
bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline)
{
	long left = deadline - jiffies;

	reinit_completion(&tx->drained);
	WRITE_ONCE(tx->draining, true);

	/* The poll itself finds out if there is nothing to wait for. */
	ipoib_poll_soon(&tx->napi);
	return wait_for_completion_timeout(&tx->drained, max(left, 1L));
}

/**
 * ipoib_ud_tx_purge - drop what never completed
 * @tx: stopped and drained as far as possible; its QP is in the RESET state
 *
 * Completions that come all the same are told by their epoch.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx)
{
	struct ipoib_tx_done done = {};

	napi_disable(&tx->napi);
	ipoib_txring_purge(&tx->ring, &done);
	atomic_set(&tx->refused_bytes, 0);
	netdev_tx_reset_queue(tx->txq);
	queue_work(tx->wq, &tx->reap);
}

/**
 * ipoib_ud_tx_flush - ring the doorbell for what has been batched
 * @tx: the ring
 *
 * BQL is told of all and told better by the poll, which alone may report
 * completions.
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_ud_tx_flush(struct ipoib_ud_tx *tx)
{
	struct ipoib_tx_batch *batch;
	unsigned int refused;
	bool whole;

	/* Peers are answered to the end; a ring that is stopped may be gone. */
	if (unlikely(!tx->running))
		return;
	batch = tx->ring.batch;
	if (!batch->count)
		return;

	/* Before the doorbell: the completion may come at once. */
	netdev_tx_sent_queue(tx->txq, batch->bytes);
	whole = ipoib_txring_post(&tx->ring, &refused);
	if (unlikely(refused)) {
		atomic_add(refused, &tx->refused_bytes);
		napi_schedule(&tx->napi);
	}
	if (unlikely(!whole))
		tx->failed(tx->ctx);
}

/* The ring is full. The poll may be emptying it at the same time. */
static void stop_queue(struct ipoib_ud_tx *tx)
{
	netif_tx_stop_queue(tx->txq);
	u64_stats_update_begin(&tx->stats.syncp);
	u64_stats_inc(&tx->stats.stops);
	u64_stats_update_end(&tx->stats.syncp);

	/*
	 * Pairs with the barrier in wake_queue(): either the poll sees the
	 * stopped queue or we see the space that it made.
	 */
	smp_mb();
	if (ipoib_ring_space(&tx->ring.ring) >= WAKE_SPACE &&
	    !tx->held(tx->ctx))
		netif_tx_start_queue(tx->txq);
}

/**
 * ipoib_ud_tx_send - send a packet
 * @tx: the ring
 * @skb: packet from its encapsulation header on; consumed
 * @ah: address handle of the destination; valid by RCU until the batch is
 *	flushed, and from then on because retiring it waits for the ring
 * @qpn: QPN of the destination
 *
 * The packet waits for the doorbell until ipoib_ud_tx_flush().
 *
 * Context: TX lock held, bottom halves off, under RCU.
 */
void ipoib_ud_tx_send(struct ipoib_ud_tx *tx, struct sk_buff *skb,
		      struct ipoib_ah *ah, u32 qpn)
{
	const struct ipoib_tx_to to = {
		.ah	= ah->ib,
		.qpn	= qpn,
		.qkey	= tx->qkey,
	};

	/* Nobody but a stopped queue that was woken by mistake gets here. */
	if (unlikely(!ipoib_ud_tx_has_room(tx))) {
		ipoib_drop_skb(tx->ring.drops, IPOIB_DROP_TX_DOWN, skb);
		return;
	}
	if (unlikely(!ipoib_txring_add(&tx->ring, skb, &to)))
		return;

	if (unlikely(!ipoib_ring_space(&tx->ring.ring))) {
		ipoib_ud_tx_flush(tx);
		stop_queue(tx);
	} else if (tx->ring.batch->count == IPOIB_TX_BATCH) {
		ipoib_ud_tx_flush(tx);
	}
}

static void wake_queue(struct ipoib_ud_tx *tx)
{
	/* Pairs with the barrier in stop_queue(). */
	smp_mb();
	if (likely(!netif_tx_queue_stopped(tx->txq)) ||
	    ipoib_ring_size(&tx->ring.ring) - ipoib_ring_used(&tx->ring.ring) < WAKE_SPACE)
		return;

	/* The lock: a ring that is being stopped must not be woken. */
	__netif_tx_lock(tx->txq, smp_processor_id());
	if (tx->running && !tx->held(tx->ctx))
		netif_tx_wake_queue(tx->txq);
	__netif_tx_unlock(tx->txq);
}

static int tx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_ud_tx *tx = container_of(napi, struct ipoib_ud_tx, napi);
	struct ib_cq *cq = tx->qp->send_cq;
	struct ipoib_tx_done done = {};
	struct ib_wc wc[IPOIB_POLL_BATCH];
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(cq, IPOIB_POLL_BATCH, wc);
		for (i = 0; i < n; i++)
			ipoib_txring_complete(&tx->ring, &wc[i], budget,
					      &done);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	if (unlikely(atomic_read(&tx->refused_bytes)))
		done.bytes += atomic_xchg(&tx->refused_bytes, 0);
	netdev_tx_completed_queue(tx->txq, done.packets, done.bytes);
	wake_queue(tx);

	if (unlikely(!list_empty(&tx->retired)))
		queue_work(tx->wq, &tx->reap);
	/* A ring that was stopped gets its packets back like this: no news. */
	if (unlikely(done.bad && READ_ONCE(tx->running)))
		tx->failed(tx->ctx);
	if (unlikely(READ_ONCE(tx->draining) && !ipoib_ring_used(&tx->ring.ring)))
		complete(&tx->drained);

	return ipoib_poll_end(napi, cq, work, budget);
}

/*
 * The grace period is over: every send that could have found the handle is on
 * the ring. It may go when the ring has come past them or is empty.
 */
static void retire_rcu(struct rcu_head *rcu)
{
	struct ipoib_ah *ah = container_of(rcu, struct ipoib_ah, rcu);
	struct ipoib_ud_tx *tx = ah->ring;

	ah->index = READ_ONCE(tx->ring.ring.head);
	spin_lock_bh(&tx->retired_lock);
	list_add_tail(&ah->retired, &tx->retired);
	/* Inside, for a running reap_work() may free @ah and end @tx's life. */
	queue_work(tx->wq, &tx->reap);
	spin_unlock_bh(&tx->retired_lock);
}

/**
 * ipoib_ud_tx_retire - free an address handle once no send uses it
 * @tx: the ring that sends with it
 * @ah: handle that no new sender can find
 *
 * Context: Any but hard interrupt.
 */
void ipoib_ud_tx_retire(struct ipoib_ud_tx *tx, struct ipoib_ah *ah)
{
	ipoib_users_get(tx->users);
	ah->ring = tx;
	call_rcu(&ah->rcu, retire_rcu);
}

static bool ah_is_idle(const struct ipoib_ud_tx *tx, const struct ipoib_ah *ah)
{
	return !ipoib_ring_used(&tx->ring.ring) ||
	       (s32)(READ_ONCE(tx->ring.ring.tail) - ah->index) >= 0;
}

static void reap_work(struct work_struct *work)
{
	struct ipoib_ud_tx *tx = container_of(work, struct ipoib_ud_tx, reap);
	struct ipoib_ah *ah, *next;
	LIST_HEAD(idle);

	spin_lock_bh(&tx->retired_lock);
	list_for_each_entry_safe(ah, next, &tx->retired, retired) {
		if (ah_is_idle(tx, ah))
			list_move_tail(&ah->retired, &idle);
	}
	spin_unlock_bh(&tx->retired_lock);

	list_for_each_entry_safe(ah, next, &idle, retired) {
		ipoib_ah_free(ah);
		ipoib_users_put(tx->users);
	}
}
