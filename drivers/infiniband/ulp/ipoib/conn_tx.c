// SPDX-License-Identifier: GPL-2.0
#include "conn_tx.h"

#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>

#include "connset.h"
#include "poll.h"

/* A send queue that a connection holds goes on when so many slots are free. */
#define WAKE_SPACE	(IPOIB_CONN_SLOTS / 4)

/*
 * How long a connection may hold it: longer than it takes to repeat a packet, and
 * than a receiver of Linux without a buffer asks to wait (655 ms).
 */
#define STALL_TIME	HZ

/* A connection that sends nothing for so long has failed. */
#define GIVE_UP_TIME	(10 * HZ)

static int tx_poll(struct napi_struct *napi, int budget);
static void release_work(struct work_struct *work);

/**
 * ipoib_conn_tx_init - nothing is to be sent yet
 * @set: the set
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ipoib_conn_tx_init(struct ipoib_connset *set)
{
	INIT_DELAYED_WORK(&set->tx.release, release_work);
	set->tx.batch = vzalloc(sizeof(*set->tx.batch));
	return set->tx.batch ? 0 : -ENOMEM;
}

/**
 * ipoib_conn_tx_exit - undo ipoib_conn_tx_init()
 * @set: the set; it has no connections
 *
 * Context: Process context, may sleep.
 */
void ipoib_conn_tx_exit(struct ipoib_connset *set)
{
	cancel_delayed_work_sync(&set->tx.release);
	vfree(set->tx.batch);
}

static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct ipoib_connset *set = ctx;

	napi_schedule(&set->tx.napi);
}

/**
 * ipoib_conn_tx_max - how many connections may send
 * @ibdev: RDMA device
 *
 * They share one completion queue, which must not overflow.
 *
 * Return: the number.
 * Context: Any.
 */
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev)
{
	return ibdev->attrs.max_cqe / IPOIB_CONN_SLOTS;
}

/**
 * ipoib_conn_tx_open - make the completion queue
 * @set: the set
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep; the set's rings_lock is held.
 */
int ipoib_conn_tx_open(struct ipoib_connset *set)
{
	struct ipoib_conn_tx *tx = &set->tx;
	struct ib_cq_init_attr attr = {
		.cqe = (set->config.limit + IPOIB_CONN_SPARE) *
		       IPOIB_CONN_SLOTS,
	};

	lockdep_assert_held(&set->rings_lock);

	tx->cq = ib_create_cq(set->config.pd->device, cq_event, NULL, set,
			      &attr);
	if (IS_ERR(tx->cq))
		return PTR_ERR(tx->cq);

	/* The stack walks the list of the interface's instances under it. */
	rtnl_lock();
	netif_napi_add_tx(set->config.dev, &tx->napi, tx_poll);
	rtnl_unlock();
	napi_enable(&tx->napi);
	ib_req_notify_cq(tx->cq, IB_CQ_NEXT_COMP);
	return 0;
}

/**
 * ipoib_conn_tx_close - undo ipoib_conn_tx_open()
 * @set: the set; no connection has a QP
 *
 * Context: Process context, may sleep; the set's rings_lock is held.
 */
void ipoib_conn_tx_close(struct ipoib_connset *set)
{
	struct ipoib_conn_tx *tx = &set->tx;

	lockdep_assert_held(&set->rings_lock);

	napi_disable(&tx->napi);
	rtnl_lock();
	netif_napi_del(&tx->napi);
	rtnl_unlock();
	ib_destroy_cq(tx->cq);
}

/* ---- who holds the send queue ---------------------------------------------- */

static void let_go(struct ipoib_connset *set)
{
	WRITE_ONCE(set->tx.full, NULL);
	set->config.released(set->config.ctx);
}

/**
 * ipoib_conn_tx_forget - a connection holds the send queue no more
 * @set: the set
 * @conn: the connection; NULL for whichever does
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_tx_forget(struct ipoib_connset *set,
			  const struct ipoib_conn *conn)
{
	if (set->tx.full && (!conn || set->tx.full == conn))
		let_go(set);
}

/* The ring is full. The poll may be emptying it at the same time. */
static void hold_queue(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	ipoib_conn_tx_flush(set);
	netif_tx_stop_queue(set->config.txq);
	WRITE_ONCE(set->tx.full, conn);
	u64_stats_update_begin(&set->config.tx_stats->syncp);
	u64_stats_inc(&set->config.tx_stats->stops);
	u64_stats_update_end(&set->config.tx_stats->syncp);

	/* Pairs with the barrier in release_queue(). */
	smp_mb();
	if (ipoib_ring_space(&conn->ring.ring) >= WAKE_SPACE)
		let_go(set);
	else
		mod_delayed_work(set->wq, &set->tx.release, STALL_TIME);
}

/*
 * The peer took nothing for a while: others go on, and it holds nobody up again
 * until it has taken all there was.
 */
static void release_work(struct work_struct *work)
{
	struct ipoib_connset *set = container_of(to_delayed_work(work),
						 struct ipoib_connset,
						 tx.release);
	struct ipoib_conn *conn;

	__netif_tx_lock_bh(set->config.txq);
	conn = set->tx.full;
	if (conn) {
		conn->slow = true;
		let_go(set);
	}
	__netif_tx_unlock_bh(set->config.txq);
}

static void release_queue(struct ipoib_connset *set)
{
	struct ipoib_conn *full;

	/* Pairs with the barrier in hold_queue(). */
	smp_mb();
	full = READ_ONCE(set->tx.full);
	if (likely(!full))
		return;

	__netif_tx_lock(set->config.txq, smp_processor_id());
	full = set->tx.full;
	if (full && ipoib_ring_size(&full->ring.ring) -
		    ipoib_ring_used(&full->ring.ring) >= WAKE_SPACE)
		let_go(set);
	__netif_tx_unlock(set->config.txq);
}

static void note_tail(struct ipoib_conn *conn, u32 tail)
{
	conn->slow_tail = tail;
	conn->slow_since = jiffies;
}

/* No room. Slow is one thing, and nothing at all another. */
static void still_full(struct ipoib_conn *conn)
{
	u32 tail = READ_ONCE(conn->ring.ring.tail);

	if (tail != conn->slow_tail)
		note_tail(conn, tail);
	else if (time_after(jiffies, conn->slow_since + GIVE_UP_TIME))
		ipoib_conn_close(conn, -ETIMEDOUT);
}

static void became_full(struct ipoib_connset *set, struct ipoib_conn *conn)
{
	note_tail(conn, READ_ONCE(conn->ring.ring.tail));
	if (!conn->slow && !set->tx.full)
		hold_queue(set, conn);
	else
		ipoib_conn_tx_flush(set);
}

/* ---- sending --------------------------------------------------------------- */

/**
 * ipoib_conn_tx_flush - ring the doorbell for what has been batched
 * @set: the set
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_tx_flush(struct ipoib_connset *set)
{
	struct ipoib_conn *conn = set->tx.batching;
	unsigned int refused;

	if (!conn)
		return;

	set->tx.batching = NULL;
	if (unlikely(!ipoib_txring_post(&conn->ring, &refused) || refused))
		ipoib_conn_close(conn, -EIO);
}

/**
 * ipoib_conn_tx_send - send a packet
 * @conn: connection of the packet's peer
 * @skb: packet from its encapsulation header on, no longer than the peer takes;
 *	consumed
 *
 * The packet waits for the doorbell until ipoib_conn_tx_flush().
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb)
{
	static const struct ipoib_tx_to nobody;
	struct ipoib_connset *set = conn->set;

	if (unlikely(!ipoib_ring_space(&conn->ring.ring))) {
		still_full(conn);
		ipoib_drop_skb(set->config.drops, IPOIB_DROP_TX_STALLED, skb);
		return;
	}
	if (unlikely(conn->slow) && !ipoib_ring_used(&conn->ring.ring))
		conn->slow = false;

	if (set->tx.batching != conn)
		ipoib_conn_tx_flush(set);
	set->tx.batching = conn;
	ipoib_conn_touch(conn);
	if (unlikely(!ipoib_txring_add(&conn->ring, skb, &nobody))) {
		if (!set->tx.batch->count)
			set->tx.batching = NULL;
		return;
	}
	WRITE_ONCE(conn->sent, conn->sent + 1);
	if (unlikely(!ipoib_ring_space(&conn->ring.ring)))
		became_full(set, conn);
	else if (set->tx.batch->count == IPOIB_TX_BATCH)
		ipoib_conn_tx_flush(set);
}

static void tx_complete(struct ipoib_connset *set, const struct ib_wc *wc,
			int budget)
{
	struct ipoib_tx_done done = {};
	struct ipoib_conn *conn;

	conn = xa_load(&set->ids, upper_32_bits(wc->wr_id));
	if (unlikely(!conn))
		return;

	ipoib_txring_complete(&conn->ring, wc, budget, &done);
	if (unlikely(READ_ONCE(conn->state) == IPOIB_CONN_CLOSING)) {
		if (!ipoib_ring_used(&conn->ring.ring))
			ipoib_conn_kick(conn, IPOIB_CONN_NEWS_DRAINED);
	} else if (unlikely(done.bad)) {
		ipoib_conn_close(conn, -EIO);
	}
}

static int tx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_connset *set = container_of(napi, struct ipoib_connset,
						 tx.napi);
	struct ib_wc wc[IPOIB_POLL_BATCH];
	int work = 0;
	int i, n;

	rcu_read_lock();
	do {
		n = ib_poll_cq(set->tx.cq, IPOIB_POLL_BATCH, wc);
		for (i = 0; i < n; i++)
			tx_complete(set, &wc[i], budget);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);
	release_queue(set);
	rcu_read_unlock();

	return ipoib_poll_end(napi, set->tx.cq, work, budget);
}

/**
 * ipoib_conn_tx_poll - look whether packets have come back
 * @set: the set; a connection of it has a QP
 *
 * Context: Process context.
 */
void ipoib_conn_tx_poll(struct ipoib_connset *set)
{
	ipoib_poll_soon(&set->tx.napi);
}
