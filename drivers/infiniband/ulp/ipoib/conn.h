/* SPDX-License-Identifier: GPL-2.0 */
/* One connection to a peer, RFC 4755: made, used, and closed. */
#ifndef _IPOIB_CONN_H
#define _IPOIB_CONN_H

#include <linux/completion.h>
#include <linux/workqueue.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_sa.h>

#include "cm_rx.h"
#include "cm_wire.h"
#include "conn_fsm.h"
#include "fabric.h"
#include "txring.h"

/* Packets on a connection's ring; each may be 64 KiB long. */
#define IPOIB_CONN_SLOTS	32

struct ipoib_connset;
struct ipoib_peer;

/* Bits of ipoib_conn.news: what the work has to see to. */
enum ipoib_conn_news {
	IPOIB_CONN_NEWS_CLOSE,	/* it is over, for @err: the rest is void */
	IPOIB_CONN_NEWS_WANT,	/* packets want to be sent by it */
	IPOIB_CONN_NEWS_ROUTE,	/* the way to the peer is known */
	IPOIB_CONN_NEWS_REQ,	/* the peer asks for it */
	IPOIB_CONN_NEWS_REP,	/* the peer has accepted */
	IPOIB_CONN_NEWS_YIELD,	/* the peer's own request crossed, and stands */
	IPOIB_CONN_NEWS_RTU,	/* the peer has our REP */
	IPOIB_CONN_NEWS_HEARD,	/* the peer sends already */
	IPOIB_CONN_NEWS_PATH,	/* it has changed to the other path */
	IPOIB_CONN_NEWS_ASKED,	/* the peer asks for its end */
	IPOIB_CONN_NEWS_TOLD,	/* the peer knows that it is over */
	IPOIB_CONN_NEWS_DRAINED,	/* all packets are back */
	IPOIB_CONN_NEWS_LATE,	/* nothing should take that long */
};

/**
 * struct ipoib_conn - one connection
 * @ring: packets on their way; its @batch is the set's
 * @mtu: longest IP packet that the peer takes; constant once LIVE
 * @used: jiffies of the last packet either way; any context, a lost update
 *	does no harm
 * @staged: packets that only the connection can carry, while it is being made;
 *	TX lock
 * @staged_bytes: their true size; TX lock
 * @slow: the ring was full for too long, and not empty since; TX lock
 * @slow_tail: how far it was when that was looked at; TX lock
 * @slow_since: jiffies when it was last seen to move; TX lock
 * @set: the set that it belongs to; outlives it
 * @refs: one of the set, one of an open question, one for a while of whoever
 *	found it
 * @rcu: frees it
 * @id: number in the set, upper half of the ring's wr_ids; constant until @work
 *	gives it up
 * @addr: of the peer, flags zero; constant
 * @type: IB_QPT_RC or IB_QPT_UC; constant
 * @service: by whose service ID it was opened; constant
 * @active: we asked for it; constant
 * @plain: the peer may not like alternate paths; constant
 * @since: jiffies when it was made; constant
 * @accepted_at: jiffies when the peer had accepted ours; constant once LIVE
 * @node: entry of the set's list; set's lock
 * @by_addr: entry of the set's hash of addresses; set's lock
 * @by_qp: entry of the set's hash of QPs; set's lock, RCU
 * @hashed: it is in there; set's lock
 * @leaving: it has been closed to make room for another; set's lock
 * @committed: our REQ is sent, or just about to be; set's lock
 * @peer: whose packets it takes, referenced; TX lock
 * @qpn: number of its QP, 0 while it has none; for show
 * @wanted: the peer that asked for it, referenced, until it is closed
 * @received: packets received; NAPI
 * @gc_received: @received at the last look; set's gc
 * @gc_sent: @sent at the last look; set's gc
 * @gc_tail: the ring's at the last look; set's gc
 * @gc_waiting: packets were on their way then; set's gc
 * @unheard: looks in a row at which it had sent and not received; set's gc
 * @sent: packets sent; TX lock
 * @state: see conn_fsm.h; written by @work
 * @news: bits of enum ipoib_conn_news
 * @work: sees to them, one after the other
 * @late: the peer or the HCA has had enough time
 * @cm_id: the CM's idea of it; NULL before and after; written before
 *	IPOIB_CONN_NEWS_REQ, then @work
 * @lock: protects what follows up to @err
 * @theirs: what the peer said of itself
 * @err: why it is closed, the first reason; 0 if it was no failure
 * @rx: where its packets arrive: the set's, or its own; @work
 * @qp: its QP; @work
 * @last_wqe: it takes no more buffers from a shared queue
 * @connected: it may have taken some; @work
 * @path: way to the peer; written before IPOIB_CONN_NEWS_ROUTE, then @work
 * @req: question about it; @work
 * @disconnected: CLOSING: packets had their time, the peer is told; @work
 * @told: the peer knows that it is over, or there is nobody to tell; @work
 * @flushed: its QP is in error; @work
 * @other: another way, if @has_other; written before IPOIB_CONN_NEWS_ROUTE, then
 *	@work
 * @has_other: there is one; likewise
 * @asked_other: it was asked for, and perhaps there is none; @work
 * @spare: both ends have an alternate path; written before the news that it
 *	comes with, then @work
 * @no_spare: the peer has offered one, and we do not take it; constant
 * @migrations: times that the alternate path was changed to; @work
 *
 * Made for a peer that wants one or for a REQ that came. Everything happens
 * in @work; whoever learns of something sets a bit and queues it. Freed by
 * the last reference, after @work has made it DEAD.
 */
struct ipoib_conn {
	struct ipoib_txring ring;
	unsigned int mtu;
	u64 sent;
	struct sk_buff_head staged;
	unsigned int staged_bytes;
	bool slow;
	u32 slow_tail;
	unsigned long slow_since;

	/* Written by the receiving CPU. */
	u64 received ____cacheline_aligned_in_smp;
	unsigned long used;

	struct ipoib_connset *set;
	refcount_t refs;
	struct rcu_head rcu;
	u32 id;
	struct ipoib_hwaddr addr;
	enum ib_qp_type type;
	enum ipoib_service service;
	bool active;
	bool plain;
	unsigned long since;
	unsigned long accepted_at;
	struct list_head node;
	struct hlist_node by_addr;
	struct hlist_node by_qp;
	bool hashed;
	bool leaving;
	bool committed;
	struct ipoib_peer *peer;
	struct ipoib_peer *wanted;
	u32 qpn;
	u64 gc_received;
	u64 gc_sent;
	u32 gc_tail;
	bool gc_waiting;
	unsigned int unheard;

	enum ipoib_conn_state state;
	unsigned long news;
	struct work_struct work;
	struct delayed_work late;

	struct ib_cm_id *cm_id;
	spinlock_t lock;	/* theirs, err */
	struct ipoib_cm_peer theirs;
	int err;

	struct ipoib_cm_rx *rx;
	struct ib_qp *qp;
	struct completion last_wqe;
	bool connected;
	struct sa_path_rec path;
	struct ipoib_request *req;
	bool disconnected;
	bool told;
	bool flushed;
	struct sa_path_rec other;
	bool has_other;
	bool asked_other;
	bool spare;
	bool no_spare;
	unsigned int migrations;
};

struct ipoib_conn *ipoib_conn_new(struct ipoib_connset *set,
				  const struct ipoib_hwaddr *addr,
				  enum ib_qp_type type,
				  enum ipoib_service service, bool active);
void ipoib_conn_put(struct ipoib_conn *conn);
void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_news what);
void ipoib_conn_close(struct ipoib_conn *conn, int err);
bool ipoib_conn_path_fits(const struct ipoib_conn *conn,
			  const struct sa_path_rec *path,
			  const struct sa_path_rec *other);
/* Another reference for one who has one, or looks at the set under its lock. */
static inline void ipoib_conn_hold(struct ipoib_conn *conn)
{
	refcount_inc(&conn->refs);
}

/* It is used. Both directions say so, the cache line is not to bounce for it. */
static inline void ipoib_conn_touch(struct ipoib_conn *conn)
{
	unsigned long now = jiffies;

	if (READ_ONCE(conn->used) != now)
		WRITE_ONCE(conn->used, now);
}

/* Packets may be sent: all that the work has set up for them is seen. */
static inline bool ipoib_conn_is_live(const struct ipoib_conn *conn)
{
	/* Pairs with the release in conn_step(). */
	return smp_load_acquire(&conn->state) == IPOIB_CONN_LIVE;
}

int ipoib_conn_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event);

#endif /* _IPOIB_CONN_H */
