// SPDX-License-Identifier: GPL-2.0
#include "ud_tx.h"

#include <linux/vmalloc.h>

#include "device.h"
#include "qp.h"

/*
 * Lower limit of byte queue limits, octets: the answers to the packets that one poll gives to
 * the stack, none of which is seen to have been sent before the poll ends. If they waited in a
 * queue of the stack, they would be charged to one socket, which has no room for ten large
 * ones.
 */
#define ANSWERS_BYTES	(NAPI_POLL_WEIGHT * 4096u)

static int tx_poll(struct napi_struct *napi, int budget);

/* wake_queue() wakes a stopped queue when this many slots are free. */
static u32 wake_space(const struct ipoib_ud_tx *tx)
{
	return ipoib_ring_size(&tx->ring.ring) / 4;
}

/**
 * ipoib_ud_tx_failed - have the QP of a ring brought back
 * @tx: the ring
 *
 * Context: Any.
 */
void ipoib_ud_tx_failed(struct ipoib_ud_tx *tx)
{
	WRITE_ONCE(tx->failed, true);
	ipoib_dev_kick(netdev_priv(tx->dev), tx->failure);
}

/**
 * ipoib_ud_tx_init - make a send ring, stopped and without slots
 * @tx: @dev, @txq, @qp, @drops, @bin and @failure are set
 *
 * Context: Process context.
 */
void ipoib_ud_tx_init(struct ipoib_ud_tx *tx)
{
	ipoib_ring_init(&tx->ring.ring, IPOIB_UD_TX_SLOTS);
	tx->ring.ibdev = tx->qp->pd->device;
	tx->ring.stats = &tx->stats;
	tx->ring.drops = tx->drops;
	u64_stats_init(&tx->stats.syncp);
	init_completion(&tx->drained);
	ipoib_ah_bin_add_ring(tx->bin, &tx->ring);
	netdev_queue_set_dql_min_limit(tx->txq, ANSWERS_BYTES);
	netif_napi_add_tx(tx->dev, &tx->napi, tx_poll);
}

/**
 * ipoib_ud_tx_exit - undo ipoib_ud_tx_init()
 * @tx: stopped, without slots; no users of the interface are left
 *
 * Context: Process context, may sleep.
 */
void ipoib_ud_tx_exit(struct ipoib_ud_tx *tx)
{
	ipoib_moder_exit(&tx->moder);
	netif_napi_del(&tx->napi);
}

/**
 * ipoib_ud_tx_alloc - allocate the slots of a ring
 * @tx: stopped, without slots
 * @slots: how many: a power of two, IPOIB_UD_TX_SLOTS at most
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_ud_tx_alloc(struct ipoib_ud_tx *tx, u32 slots)
{
	tx->ring.batch = vzalloc(sizeof(*tx->ring.batch));
	if (!tx->ring.batch || ipoib_txring_alloc(&tx->ring, slots)) {
		ipoib_ud_tx_free(tx);
		return -ENOMEM;
	}
	return 0;
}

/**
 * ipoib_ud_tx_free - free the slots of a ring
 * @tx: stopped and empty
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_tx_free(struct ipoib_ud_tx *tx)
{
	ipoib_txring_free(&tx->ring);
	vfree(tx->ring.batch);
	tx->ring.batch = NULL;
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
	tx->to.qkey = qkey;
	/* ipoib_qp_renew() may have replaced the QP since the ring ran last. */
	tx->ring.qp = tx->qp->ib;
	ipoib_txring_restart(&tx->ring);
	WRITE_ONCE(tx->draining, IPOIB_UD_TX_DRAIN_NOT);
	napi_enable(&tx->napi);

	/* No interrupt tells of completions that came before the CQ was armed, so poll once. */
	ib_req_notify_cq(tx->qp->send_cq, IB_CQ_NEXT_COMP);
	ipoib_poll_soon(&tx->napi);

	__netif_tx_lock_bh(tx->txq);
	WRITE_ONCE(tx->running, true);
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
	/*
	 * The queue is stopped on purpose. Update trans_start, which netif_tx_stop_queue() of
	 * older kernels does not, or the stack's watchdog could report a transmit timeout. Each
	 * wait with the queue stopped begins with a call of this function and is shorter than
	 * IPOIB_TX_TIMEOUT: dev_rings.c asserts that.
	 */
	txq_trans_cond_update(tx->txq);
	__netif_tx_unlock_bh(tx->txq);
}

static bool drain(struct ipoib_ud_tx *tx, enum ipoib_ud_tx_drain until, long timeout)
{
	reinit_completion(&tx->drained);
	/* Pairs with the acquire in is_drained(): the ring has been stopped before. */
	smp_store_release(&tx->draining, until);

	/* If there is nothing to wait for, this poll completes @drained. */
	ipoib_poll_soon(&tx->napi);
	return wait_for_completion_timeout(&tx->drained, max(timeout, 1L));
}

/**
 * ipoib_ud_tx_drain - wait until all packets have completed that can
 * @tx: stopped; its QP is in the error or the SQE state, which flushes the packets, or in RTS,
 *	which sends them
 * @deadline: when to give up, jiffies
 *
 * For packets that no completion need tell of only a moment is waited.
 *
 * Return: false if some others have not completed by @deadline.
 * Context: Process context, may sleep; the device's lock is held.
 */
bool ipoib_ud_tx_drain(struct ipoib_ud_tx *tx, unsigned long deadline)
{
	if (!drain(tx, IPOIB_UD_TX_DRAIN_TOLD, deadline - jiffies))
		return false;
	if (ipoib_ring_used(&tx->ring.ring))
		drain(tx, IPOIB_UD_TX_DRAIN_ALL, IPOIB_TX_TAIL_TIME);
	return true;
}

/**
 * ipoib_ud_tx_halt - stop polling for completions
 * @tx: stopped and drained as far as possible
 *
 * Completions that come later are recognized by their epoch after the next start, and ignored.
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_ud_tx_halt(struct ipoib_ud_tx *tx)
{
	napi_disable(&tx->napi);
}

/**
 * ipoib_ud_tx_purge - take off the ring what never completed
 * @tx: halted. The HCA owns no packet of the ring any more
 *
 * Context: Process context, may sleep; the ring must not be started meanwhile.
 */
void ipoib_ud_tx_purge(struct ipoib_ud_tx *tx)
{
	struct ipoib_tx_done done = {};

	ipoib_txring_purge(&tx->ring, &done);
	atomic_set(&tx->refused_bytes, 0);
	netdev_tx_reset_queue(tx->txq);
	/* Even if the list looks empty: nothing else would reap what is added just now. */
	mod_delayed_work(tx->bin->wq, &tx->bin->reap, 0);
}

/**
 * ipoib_ud_tx_refused - the HCA has not taken all of a batch
 * @tx: the ring
 * @posted: what has become of the batch
 *
 * BQL counts the whole batch as sent. tx_poll() counts what the HCA refused as completed, because
 * only the poll may call netdev_tx_completed_queue().
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_ud_tx_refused(struct ipoib_ud_tx *tx, struct ipoib_tx_posted posted)
{
	if (posted.refused_bytes) {
		/*
		 * Pairs with atomic_xchg() in tx_poll(): who takes the octets sees that
		 * ipoib_ud_tx_flush() has told BQL of them.
		 */
		smp_mb__before_atomic();
		atomic_add(posted.refused_bytes, &tx->refused_bytes);
		napi_schedule(&tx->napi);
	}
	if (!posted.whole)
		ipoib_ud_tx_failed(tx);
}

/* Stop the queue of a full ring. tx_poll() may be emptying the ring at the same time. */
static void stop_queue(struct ipoib_ud_tx *tx)
{
	netif_tx_stop_queue(tx->txq);
	u64_stats_update_begin(&tx->stats.syncp);
	u64_stats_inc(&tx->stats.stops);
	u64_stats_update_end(&tx->stats.syncp);

	/*
	 * Pairs with the barrier in wake_queue(): either the poll sees the stopped queue, or this
	 * function sees the space that the poll has made. Packets may have been queued while it
	 * was stopped, and the caller need not be the qdisc, which would look for them:
	 * ipoib_peer_answer() sends packets of a peer, too.
	 */
	smp_mb();
	if (ipoib_ring_space(&tx->ring.ring) >= wake_space(tx))
		netif_tx_wake_queue(tx->txq);
}

/**
 * ipoib_ud_tx_full - post the batch because it or the ring has no more room
 * @tx: the ring
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_ud_tx_full(struct ipoib_ud_tx *tx)
{
	ipoib_ud_tx_flush(tx);
	if (!ipoib_ring_space(&tx->ring.ring))
		stop_queue(tx);
}

/**
 * ipoib_ud_tx_drop - drop a packet for which the ring has no room
 * @tx: the ring, full or stopped
 * @skb: the packet
 *
 * The queue of the stack is stopped meanwhile, but packets come by others, too.
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_ud_tx_drop(struct ipoib_ud_tx *tx, struct sk_buff *skb)
{
	ipoib_drop_skb(tx->ring.drops,
		       tx->running ? IPOIB_DROP_TX_QUEUE_FULL : IPOIB_DROP_TX_DOWN, skb);
}

static void wake_queue(struct ipoib_ud_tx *tx)
{
	/* Pairs with the barrier in stop_queue(). */
	smp_mb();
	if (likely(!netif_tx_queue_stopped(tx->txq)) ||
	    ipoib_ring_size(&tx->ring.ring) - ipoib_ring_used(&tx->ring.ring) < wake_space(tx))
		return;

	/* Check @running under the lock, or the queue of a stopped ring could be woken. */
	__netif_tx_lock(tx->txq, smp_processor_id());
	if (tx->running)
		netif_tx_wake_queue(tx->txq);
	__netif_tx_unlock(tx->txq);
}

static bool is_drained(const struct ipoib_ud_tx *tx)
{
	/* Pairs with the release in drain(). */
	enum ipoib_ud_tx_drain until = smp_load_acquire(&tx->draining);

	switch (until) {
	case IPOIB_UD_TX_DRAIN_TOLD:
		return !ipoib_txring_waits(&tx->ring);
	case IPOIB_UD_TX_DRAIN_ALL:
		return !ipoib_ring_used(&tx->ring.ring);
	default:
		return false;
	}
}

static int tx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_ud_tx *tx = container_of(napi, struct ipoib_ud_tx, napi);
	struct ib_cq *cq = tx->qp->send_cq;
	struct ipoib_tx_done done = {};
	int work = 0;
	int i, n;

	do {
		n = ib_poll_cq(cq, IPOIB_POLL_BATCH, tx->wc);
		for (i = 0; i < n; i++)
			ipoib_txring_complete(&tx->ring, &tx->wc[i], budget,
					      &done);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);

	if (unlikely(atomic_read(&tx->refused_bytes)))
		done.bytes += atomic_xchg(&tx->refused_bytes, 0);
	netdev_tx_completed_queue(tx->txq, done.packets, done.bytes);
	wake_queue(tx);

	ipoib_ah_bin_reap(tx->bin);
	/* If the ring has been stopped, flushed packets are expected and no failure. */
	if (unlikely(done.bad && READ_ONCE(tx->running)))
		ipoib_ud_tx_failed(tx);
	if (unlikely(is_drained(tx)))
		complete(&tx->drained);
	if (ipoib_moder_adapts(&tx->moder))
		ipoib_moder_sample(&tx->moder, done.packets, done.bytes, work < budget);

	return ipoib_poll_end(napi, cq, work, budget);
}
