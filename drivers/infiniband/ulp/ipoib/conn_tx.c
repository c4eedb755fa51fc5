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
 * Limit of the octets (truesize) that wait on all connections of a set together. Each
 * connection may have WAITING_SHARE in any case, so that slow ones, or those that are never
 * answered, leave room for others.
 */
#define WAITING_SHARE	(128 * 1024)
#define WAITING_ALL	(16 * 1024 * 1024)

/* A full ring that has not moved for this long means that the connection has failed. */
#define GIVE_UP_TIME	(10 * HZ)

static int tx_poll(struct napi_struct *napi, int budget);

int ipoib_conn_tx_init(struct ipoib_conn_set *set)
{
	INIT_LIST_HEAD(&set->tx.behind);
	set->tx.batch = vzalloc(sizeof(*set->tx.batch));
	return set->tx.batch ? 0 : -ENOMEM;
}

void ipoib_conn_tx_exit(struct ipoib_conn_set *set)
{
	vfree(set->tx.batch);
}

static void cq_error(struct ib_event *event, void *ctx)
{
	ipoib_conn_set_cq_failed(ctx);
}

static void cq_event(struct ib_cq *cq, void *ctx)
{
	struct ipoib_conn_set *set = ctx;

	napi_schedule(&set->tx.napi);
}

/* The connections of a set share one completion queue, which must not overflow. */
unsigned int ipoib_conn_tx_max(const struct ib_device *ibdev)
{
	return ibdev->attrs.max_cqe / IPOIB_CONN_SLOTS;
}

int ipoib_conn_tx_open(struct ipoib_conn_set *set)
{
	struct ipoib_conn_tx *tx = &set->tx;
	struct ib_cq_init_attr attr = {
		.cqe = ipoib_conn_set_most(set) * IPOIB_CONN_SLOTS,
		.comp_vector = ipoib_qp_vector(set->idev->config.pd->device),
	};

	lockdep_assert_held(&set->rings_lock);

	tx->cq = ib_create_cq(set->idev->config.pd->device, cq_event, cq_error, set,
			      &attr);
	if (IS_ERR(tx->cq))
		return PTR_ERR(tx->cq);
	ipoib_moder_set_cq(&tx->moder, tx->cq);

	/* The stack walks the list of NAPI instances of the interface under RTNL. */
	rtnl_lock();
	netif_napi_add_tx(set->idev->dev, &tx->napi, tx_poll);
	rtnl_unlock();
	napi_enable(&tx->napi);
	ib_req_notify_cq(tx->cq, IB_CQ_NEXT_COMP);
	return 0;
}

/* No connection has a QP any more when ipoib_conn_tx_close() is called. */
void ipoib_conn_tx_close(struct ipoib_conn_set *set)
{
	struct ipoib_conn_tx *tx = &set->tx;

	lockdep_assert_held(&set->rings_lock);

	napi_disable(&tx->napi);
	rtnl_lock();
	netif_napi_del(&tx->napi);
	rtnl_unlock();
	ipoib_moder_set_cq(&tx->moder, NULL);
	ib_destroy_cq(tx->cq);
}

/* ---- sending --------------------------------------------------------------- */

/**
 * ipoib_conn_tx_flush - ring the doorbell for the batched work requests
 * @set: the set
 *
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_tx_flush(struct ipoib_conn_set *set)
{
	struct ipoib_conn *conn = set->tx.batching;
	unsigned int refused;

	if (!conn)
		return;

	set->tx.batching = NULL;
	if (unlikely(!ipoib_txring_post(&conn->ring, &refused) || refused))
		ipoib_conn_close(conn, -EIO);
}

/* The ring must have space. */
static void post(struct ipoib_conn *conn, struct sk_buff *skb)
{
	const struct ipoib_tx_to to = { .link_sums = READ_ONCE(conn->link_sums) };
	struct ipoib_conn_set *set = conn->set;

	if (set->tx.batching != conn)
		ipoib_conn_tx_flush(set);
	set->tx.batching = conn;
	ipoib_conn_touch(conn);
	if (unlikely(!ipoib_txring_add(&conn->ring, skb, &to))) {
		if (!set->tx.batch->count)
			set->tx.batching = NULL;
		return;
	}
	WRITE_ONCE(conn->sent, conn->sent + 1);
	if (unlikely(!ipoib_ring_space(&conn->ring.ring)) ||
	    set->tx.batch->count == IPOIB_TX_BATCH)
		ipoib_conn_tx_flush(set);
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
		conn->set->tx.waiting_bytes -= skb->truesize;
	}
	if (skb_queue_empty(&conn->backlog))
		list_del_init(&conn->behind);
	return skb;
}

static void backlog_send(struct ipoib_conn *conn)
{
	while (ipoib_ring_space(&conn->ring.ring) && !skb_queue_empty(&conn->backlog))
		post(conn, backlog_take(conn));
	ipoib_conn_tx_flush(conn->set);
}

static void became_full(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	note_tail(conn, READ_ONCE(conn->ring.ring.tail));
	list_add_tail(&conn->behind, &set->tx.behind);
	u64_stats_update_begin(&set->idev->conn_tx.syncp);
	u64_stats_inc(&set->idev->conn_tx.stops);
	u64_stats_update_end(&set->idev->conn_tx.syncp);
}

/*
 * ipoib_conn_tx_may_wait() counts in truesize and is called under the TX lock, with bottom
 * halves off: @own are the packets of the same connection that wait already, @more is one more.
 */
bool ipoib_conn_tx_may_wait(const struct ipoib_conn_set *set, unsigned int own,
			    unsigned int more)
{
	return own + more <= WAITING_SHARE || set->tx.waiting_bytes + more <= WAITING_ALL;
}

static bool backlog_has_room(const struct ipoib_conn *conn, const struct sk_buff *skb)
{
	return skb_queue_len(&conn->backlog) < BACKLOG_PACKETS &&
	       conn->backlog_bytes + skb->truesize <= BACKLOG_BYTES &&
	       ipoib_conn_tx_may_wait(conn->set, conn->backlog_bytes, skb->truesize);
}

/*
 * The send queue of the interface is not stopped, because it serves all destinations: packets
 * for a slow peer wait here. The poll may be emptying the ring at the same time.
 */
static void backlog_add(struct ipoib_conn *conn, struct sk_buff *skb)
{
	if (!list_empty(&conn->behind))
		still_full(conn);
	if (!backlog_has_room(conn, skb)) {
		ipoib_drop_skb(&conn->set->idev->drops, IPOIB_DROP_TX_STALLED, skb);
		return;
	}

	ipoib_uncharge_waiting(skb);
	conn->backlog_bytes += skb->truesize;
	conn->set->tx.waiting_bytes += skb->truesize;
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

/* The caller of ipoib_conn_tx_forget() holds the TX lock and has bottom halves off. */
void ipoib_conn_tx_forget(struct ipoib_conn *conn)
{
	while (!skb_queue_empty(&conn->backlog))
		ipoib_drop_skb(&conn->set->idev->drops, IPOIB_DROP_TX_STALLED,
			       backlog_take(conn));
}

static void catch_up(struct ipoib_conn_set *set)
{
	struct ipoib_conn *conn, *next;

	/* Pairs with the barrier in backlog_add(). */
	smp_mb();
	if (likely(list_empty(&set->tx.behind)))
		return;

	__netif_tx_lock(set->idev->tx.txq, smp_processor_id());
	list_for_each_entry_safe(conn, next, &set->tx.behind, behind)
		if (ipoib_ring_space(&conn->ring.ring) >= WAKE_SPACE)
			backlog_send(conn);
	__netif_tx_unlock(set->idev->tx.txq);
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
 * Context: TX lock held, bottom halves off.
 */
void ipoib_conn_tx_send(struct ipoib_conn *conn, struct sk_buff *skb)
{
	if (unlikely(!ipoib_ring_space(&conn->ring.ring) ||
		     skb_queue_len(&conn->backlog)))
		backlog_add(conn, skb);
	else
		post(conn, skb);
}

/* ---- completions ----------------------------------------------------------- */

static void tx_complete(struct ipoib_conn_set *set, const struct ib_wc *wc,
			int budget, struct ipoib_tx_done *done)
{
	struct ipoib_conn *conn;

	done->bad = false;
	conn = xa_load(&set->ids, upper_32_bits(wc->wr_id));
	if (unlikely(!conn))
		return;

	ipoib_txring_complete(&conn->ring, wc, budget, done);
	/* A completion on RC is an acknowledgment of the peer, on UC it is not. */
	if (conn->type == IB_QPT_RC && likely(!done->bad))
		ipoib_conn_heard(conn);
	if (unlikely(READ_ONCE(conn->state) >= IPOIB_CONN_DRAINING)) {
		if (!ipoib_ring_used(&conn->ring.ring))
			ipoib_conn_kick(conn, IPOIB_CONN_PENDING_DRAINED);
	} else if (unlikely(done->bad)) {
		ipoib_conn_close(conn, -EIO);
	}
}

static int tx_poll(struct napi_struct *napi, int budget)
{
	struct ipoib_conn_set *set = container_of(napi, struct ipoib_conn_set,
						  tx.napi);
	struct ipoib_tx_done done = {};
	int work = 0;
	int i, n;

	rcu_read_lock();
	do {
		n = ib_poll_cq(set->tx.cq, IPOIB_POLL_BATCH, set->tx.wc);
		for (i = 0; i < n; i++)
			tx_complete(set, &set->tx.wc[i], budget, &done);
		work += max(n, 0);
	} while (n == IPOIB_POLL_BATCH && work < budget);
	catch_up(set);
	rcu_read_unlock();
	if (ipoib_moder_adapts(&set->tx.moder))
		ipoib_moder_sample(&set->tx.moder, done.packets, done.bytes, work < budget);

	return ipoib_poll_end(napi, set->tx.cq, work, budget);
}

/* The NAPI instance exists only while a connection of @set has a QP. */
void ipoib_conn_tx_poll(struct ipoib_conn_set *set)
{
	ipoib_poll_soon(&set->tx.napi);
}
