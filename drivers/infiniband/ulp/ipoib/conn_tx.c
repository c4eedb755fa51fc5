// SPDX-License-Identifier: GPL-2.0
#include "conn_tx.h"

#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>

#include "charge.h"
#include "conn_set.h"
#include "device.h"
#include "qp.h"

/* The backlog of a connection is sent on when this many slots of its ring are free. */
#define WAKE_SPACE	(IPOIB_CONN_SLOTS / 4)

/* Limits of the backlog of a connection, in packets and in octets (truesize). */
#define BACKLOG_PACKETS	512
#define BACKLOG_BYTES	(2 * 1024 * 1024)

/*
 * Limit of the octets (truesize) that wait on all connections of a set together. Each connection
 * may have WAITING_SHARE in any case, so that slow ones, or those that are never answered, leave
 * room for others.
 */
#define WAITING_SHARE	(128 * 1024)
#define WAITING_ALL	(16 * 1024 * 1024)

/* A full ring that has not moved for this long means that the connection has failed. */
#define GIVE_UP_TIME	(10 * HZ)

static int tx_poll(struct napi_struct *napi, int budget);

int ipoib_conn_txs_init(struct ipoib_conn_set *set)
{
	struct ipoib_dev *idev = set->idev;
	unsigned int i;

	set->bundles = idev->dev->num_tx_queues;
	set->txs = kvcalloc(set->bundles, sizeof(*set->txs), GFP_KERNEL);
	if (!set->txs)
		return -ENOMEM;
	for (i = 0; i < set->bundles; i++) {
		set->txs[i].set = set;
		set->txs[i].bundle = &idev->bundles[i];
		INIT_LIST_HEAD(&set->txs[i].behind);
		ipoib_moder_init(&set->txs[i].moder, &idev->tx_moder, true);
	}
	return 0;
}

void ipoib_conn_txs_exit(struct ipoib_conn_set *set)
{
	unsigned int i;

	for (i = 0; i < set->bundles; i++)
		ipoib_moder_exit(&set->txs[i].moder);
	kvfree(set->txs);
}

/**
 * ipoib_conn_txs_moderate - have the completion queues follow the user's wish
 * @set: the set
 *
 * Return: 0 or what the provider says.
 * Context: Process context, may sleep; the device's lock is held.
 */
int ipoib_conn_txs_moderate(struct ipoib_conn_set *set)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < set->bundles && !err; i++)
		err = ipoib_moder_apply(&set->txs[i].moder);
	return err;
}

static void cq_error(struct ib_event *event, void *ctx)
{
	struct ipoib_conn_tx *tx = ctx;

	ipoib_conn_set_cq_failed(tx->set);
}

static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct ipoib_conn_tx *tx = ctx;

	napi_schedule(&tx->napi);
}

/* Where there is one bundle, all connections are in it, and its completion queue must have room. */
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev)
{
	return ibdev->attrs.max_cqe / IPOIB_CONN_SLOTS;
}

static int tx_open(struct ipoib_conn_tx *tx)
{
	struct ib_device *ibdev = tx->set->idev->config.pd->device;
	struct ib_cq_init_attr attr = {
		.cqe = ipoib_conn_set_most_of_bundle(tx->set) * IPOIB_CONN_SLOTS,
		.comp_vector = ipoib_qp_vector(ibdev),
	};
	int err;

	tx->batch = vzalloc(sizeof(*tx->batch));
	if (!tx->batch)
		return -ENOMEM;
	tx->cq = ib_create_cq(ibdev, cq_event, cq_error, tx, &attr);
	if (IS_ERR(tx->cq)) {
		err = PTR_ERR(tx->cq);
		vfree(tx->batch);
		return err;
	}
	ipoib_moder_set_cq(&tx->moder, tx->cq);

	/* The stack walks the list of NAPI instances of the interface under RTNL. */
	rtnl_lock();
	netif_napi_add_tx(tx->set->idev->dev, &tx->napi, tx_poll);
	rtnl_unlock();
	napi_enable(&tx->napi);
	ib_req_notify_cq(tx->cq, IB_CQ_NEXT_COMP);
	return 0;
}

static void tx_close(struct ipoib_conn_tx *tx)
{
	napi_disable(&tx->napi);
	rtnl_lock();
	netif_napi_del(&tx->napi);
	rtnl_unlock();
	ipoib_moder_set_cq(&tx->moder, NULL);
	ib_destroy_cq(tx->cq);
	vfree(tx->batch);
}

/**
 * ipoib_conn_tx_get - make what connections of a bundle send with, for the first that needs it
 * @tx: the set's part in the bundle
 *
 * Return: 0 or a negative errno.
 * Context: Process context, may sleep; @rings_lock of the set is held.
 */
int ipoib_conn_tx_get(struct ipoib_conn_tx *tx)
{
	int err;

	lockdep_assert_held(&tx->set->rings_lock);

	if (!tx->users) {
		err = tx_open(tx);
		if (err)
			return err;
	}
	tx->users++;
	return 0;
}

/**
 * ipoib_conn_tx_put - undo ipoib_conn_tx_get()
 * @tx: the set's part in the bundle; the connection has no QP any more
 *
 * Context: Process context, may sleep; @rings_lock of the set is held.
 */
void ipoib_conn_tx_put(struct ipoib_conn_tx *tx)
{
	lockdep_assert_held(&tx->set->rings_lock);

	if (!--tx->users)
		tx_close(tx);
}

/* ---- sending --------------------------------------------------------------- */

/**
 * ipoib_conn_tx_flush - ring the doorbell for the batched work requests
 * @tx: what connections in the bundle send with
 *
 * Context: The bundle's lock is held, bottom halves are off.
 */
void ipoib_conn_tx_flush(struct ipoib_conn_tx *tx)
{
	struct ipoib_conn *conn = tx->batching;
	struct ipoib_tx_posted posted;

	lockdep_assert_held(&tx->bundle->lock);

	if (!conn)
		return;

	tx->batching = NULL;
	posted = ipoib_txring_post(&conn->ring, false);
	if (unlikely(!posted.whole || posted.refused_bytes))
		ipoib_conn_close(conn, -EIO);
}

/* The ring must have space. */
static __always_inline void post(struct ipoib_conn *conn, struct sk_buff *skb)
{
	struct ipoib_conn_tx *tx = conn->tx;

	if (tx->batching != conn)
		ipoib_conn_tx_flush(tx);
	tx->batching = conn;
	ipoib_conn_touch(conn);
	if (unlikely(!ipoib_txring_add(&conn->ring, skb, &conn->to))) {
		if (!tx->batch->count)
			tx->batching = NULL;
		return;
	}
	WRITE_ONCE(conn->sent, conn->sent + 1);
	if (unlikely(!ipoib_ring_space(&conn->ring.ring)) ||
	    tx->batch->count == IPOIB_TX_BATCH)
		ipoib_conn_tx_flush(tx);
}

/* ---- backlogs -------------------------------------------------------------- */

static void note_tail(struct ipoib_conn *conn, u32 tail)
{
	conn->full_tail = tail;
	conn->full_since = jiffies;
}

/*
 * The ring is full again: close the connection if no packet has left it for GIVE_UP_TIME. A
 * ring that moves, however slowly, is left alone.
 */
static void still_full(struct ipoib_conn *conn)
{
	u32 tail = READ_ONCE(conn->ring.ring.tail);

	if (tail != conn->full_tail)
		note_tail(conn, tail);
	else if (time_after(jiffies, conn->full_since + GIVE_UP_TIME))
		ipoib_conn_close(conn, -ETIMEDOUT);
}

static struct sk_buff *backlog_take(struct ipoib_conn *conn)
{
	struct sk_buff *skb = __skb_dequeue(&conn->backlog);

	if (skb) {
		conn->backlog_bytes -= skb->truesize;
		atomic_sub(skb->truesize, &conn->set->waiting_bytes);
	}
	if (skb_queue_empty(&conn->backlog))
		list_del_init(&conn->behind);
	return skb;
}

static void backlog_send(struct ipoib_conn *conn)
{
	while (ipoib_ring_space(&conn->ring.ring) && !skb_queue_empty(&conn->backlog))
		post(conn, backlog_take(conn));
	ipoib_conn_tx_flush(conn->tx);
}

static void became_full(struct ipoib_conn *conn)
{
	struct ipoib_tx_stats *stats = &conn->tx->bundle->stats;

	note_tail(conn, READ_ONCE(conn->ring.ring.tail));
	list_add_tail(&conn->behind, &conn->tx->behind);
	u64_stats_update_begin(&stats->syncp);
	u64_stats_inc(&stats->stops);
	u64_stats_update_end(&stats->syncp);
}

/*
 * ipoib_conn_tx_may_wait() counts in truesize and is called under the bundle's lock: @own are the
 * packets of the same connection that wait already, @more is one more.
 */
bool ipoib_conn_tx_may_wait(const struct ipoib_conn_tx *tx, unsigned int own,
			    unsigned int more)
{
	lockdep_assert_held(&tx->bundle->lock);

	return own + more <= WAITING_SHARE ||
	       atomic_read(&tx->set->waiting_bytes) + more <= WAITING_ALL;
}

static bool backlog_has_room(const struct ipoib_conn *conn, const struct sk_buff *skb)
{
	return skb_queue_len(&conn->backlog) < BACKLOG_PACKETS &&
	       conn->backlog_bytes + skb->truesize <= BACKLOG_BYTES &&
	       ipoib_conn_tx_may_wait(conn->tx, conn->backlog_bytes, skb->truesize);
}

/*
 * The send queue of the interface is not stopped, because it serves all destinations: packets
 * for a slow peer wait here. The poll may be emptying the ring at the same time.
 */
static noinline void backlog_add(struct ipoib_conn *conn, struct sk_buff *skb)
{
	if (!list_empty(&conn->behind))
		still_full(conn);
	if (!backlog_has_room(conn, skb)) {
		ipoib_drop_skb(&conn->set->idev->drops, IPOIB_DROP_TX_STALLED, skb);
		return;
	}

	ipoib_uncharge_waiting(skb);
	conn->backlog_bytes += skb->truesize;
	atomic_add(skb->truesize, &conn->set->waiting_bytes);
	__skb_queue_tail(&conn->backlog, skb);
	if (list_empty(&conn->behind))
		became_full(conn);

	/*
	 * Pairs with the barrier in catch_up(): either the poll sees the connection on the
	 * list, or we see the space that it made.
	 */
	smp_mb();
	if (ipoib_ring_space(&conn->ring.ring) >= WAKE_SPACE)
		backlog_send(conn);
}

/* The caller of ipoib_conn_tx_forget() holds the bundle's lock. */
void ipoib_conn_tx_forget(struct ipoib_conn *conn)
{
	lockdep_assert_held(&conn->tx->bundle->lock);

	while (!skb_queue_empty(&conn->backlog))
		ipoib_drop_skb(&conn->set->idev->drops, IPOIB_DROP_TX_STALLED,
			       backlog_take(conn));
}

static void catch_up(struct ipoib_conn_tx *tx)
{
	struct ipoib_conn *conn, *next;

	/* Pairs with the barrier in backlog_add(). */
	smp_mb();
	if (likely(list_empty(&tx->behind)))
		return;

	spin_lock(&tx->bundle->lock);
	list_for_each_entry_safe(conn, next, &tx->behind, behind)
		if (ipoib_ring_space(&conn->ring.ring) >= WAKE_SPACE)
			backlog_send(conn);
	spin_unlock(&tx->bundle->lock);
}

/**
 * ipoib_conn_tx_send - send a packet
 * @conn: connection of the packet's peer
 * @skb: packet from its encapsulation header on, no longer than the peer takes;
 *	consumed
 *
 * The packet waits for the doorbell until ipoib_conn_tx_flush(), or until the ring has
 * room.
 *
 * Context: The lock of its bundle is held, bottom halves are off.
 */
void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb)
{
	lockdep_assert_held(&conn->tx->bundle->lock);

	if (unlikely(!ipoib_ring_space(&conn->ring.ring) ||
		     skb_queue_len(&conn->backlog)))
		backlog_add(conn, skb);
	else
		post(conn, skb);
}

/* ---- completions ----------------------------------------------------------- */

static void tx_complete(struct ipoib_conn_tx *tx, const struct ib_wc *wc,
			int budget, struct ipoib_tx_done *done)
{
	struct ipoib_conn *conn;

	done->bad = false;
	conn = xa_load(&tx->set->ids, upper_32_bits(wc->wr_id));
	if (unlikely(!conn))
		return;

	ipoib_txring_complete(&conn->ring, wc, budget, done);
	/* A completion on RC is an acknowledgment of the peer, on UC it is not. */
	if (conn->type == IB_QPT_RC && likely(!done->bad))
		ipoib_conn_heard(conn);
	if (unlikely(READ_ONCE(conn->state) >= IPOIB_CONN_DRAINING)) {
		if (!ipoib_txring_waits(&conn->ring))
			ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DRAINED);
	} else if (unlikely(done->bad)) {
		ipoib_conn_close(conn, -EIO);
	}
}

static int tx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_conn_tx *tx = container_of(napi, struct ipoib_conn_tx, napi);
	struct ipoib_tx_done done = {};
	int work = 0;
	int i, n;

	rcu_read_lock();
	do {
		n = ib_poll_cq(tx->cq, IPOIB_POLL_BATCH, tx->wc);
		for (i = 0; i < n; i++)
			tx_complete(tx, &tx->wc[i], budget, &done);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);
	catch_up(tx);
	rcu_read_unlock();
	if (ipoib_moder_adapts(&tx->moder))
		ipoib_moder_sample(&tx->moder, done.packets, done.bytes, work < budget);

	return ipoib_poll_end(napi, tx->cq, work, budget);
}

/* The NAPI instance exists only while a connection of the set in the bundle has a QP. */
void ipoib_conn_tx_poll(struct ipoib_conn_tx *tx)
{
	ipoib_poll_soon(&tx->napi);
}
