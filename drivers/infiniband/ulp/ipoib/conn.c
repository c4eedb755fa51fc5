// SPDX-License-Identifier: GPL-2.0
#include "conn.h"

#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_cm.h>

#include "addr.h"
#include "conn_set.h"
#include "device.h"
#include "trace.h"

/* CM timeout: 4.096 us * 2^18, about a second, until the CM repeats a message. */
#define CM_TIMEOUT	18
#define CM_RETRIES	5

/* Failover Accepted in a REP, IBTA 12.7.31: the alternate path of the REQ is refused. */
#define FAILOVER_REFUSED	1

/*
 * A connection that is not established by then is closed, whatever timeouts the peer requests
 * of the CM: those in a REQ or an MRA may be hours, and the connection would hold a place in
 * the set for as long. One that the peer opens holds one of few places, and only the RTU is
 * missing, so ANSWER_TIMEOUT is shorter.
 */
#define MAKE_TIMEOUT	(15 * HZ)
#define ANSWER_TIMEOUT	(5 * HZ)

/* How long we wait for the REQ of the peer that crossed ours, even if it was lost once. */
#define YIELD_TIMEOUT	(4 * HZ)

/* How long we wait until another REQ to a peer that takes an older connection for alive. */
#define STALE_TIMEOUT	HZ

/* A REQ or DREQ without an answer for this long is taken for lost, and another may be sent. */
#define TURN_TIME	HZ

/*
 * A DREQ waits for its turn for this long to twice as long, at random: if no peer answers, all
 * of them are sent in the end, and not at once.
 */
#define TURN_TIMEOUT	(4 * HZ)

/* How long packets sent before the close have to arrive: ours until the DREQ, then the peer's. */
#define DRAIN_TIMEOUT	HZ

/* How long the HCA has to return flushed packets. */
#define CLOSE_TIMEOUT	(4 * HZ)

/*
 * How long the peer has to answer the DREQ: as long as the CM repeats it, if packets live as long
 * as OpenSM says, which makes 3 s for each of CM_RETRIES and the first. In a REQ of its own a
 * peer may ask for hours.
 */
#define TELL_TIMEOUT	(20 * HZ)

static bool conn_step(struct ipoib_conn *conn, enum ipoib_conn_event event)
{
	const struct ipoib_fsm_edge *edge;

	edge = ipoib_fsm_step(&ipoib_conn_fsm, conn->state, event);
	if (!edge)
		return false;

	if (edge->next != conn->state)
		trace_ipoib_conn_state(conn->set->idev->dev->name,
				       (u8 *)conn->addr.gid,
				       ipoib_fsm_name(&ipoib_conn_fsm, conn->state),
				       ipoib_fsm_name(&ipoib_conn_fsm, edge->next));
	/* Pairs with the acquire in ipoib_conn_is_established() and may_cross(). */
	smp_store_release(&conn->state, edge->next);
	return true;
}

static void conn_work(struct work_struct *work);
static void late_work(struct work_struct *work);
static void turn_work(struct work_struct *work);
static void unanswered_work(struct work_struct *work);

/**
 * ipoib_conn_new - make a connection that is not in a set yet
 * @set: the set it is meant for
 * @addr: address of the peer
 * @type: IB_QPT_RC or IB_QPT_UC
 * @service: kind of service ID that the REQ has
 * @active: the REQ is ours
 *
 * Return: the connection with one reference, which is the caller's; NULL without memory.
 * Context: Any but hard interrupt.
 */
struct ipoib_conn *ipoib_conn_new(struct ipoib_conn_set *set,
				  const struct ipoib_hwaddr *addr,
				  enum ib_qp_type type,
				  enum ipoib_service service, bool active)
{
	struct ipoib_conn *conn;
	union ib_gid gid;

	conn = kzalloc(sizeof(*conn), GFP_ATOMIC | __GFP_NOWARN);
	if (!conn)
		return NULL;

	ipoib_hwaddr_gid(addr, &gid);
	ipoib_hwaddr_set(&conn->addr, 0, ipoib_hwaddr_qpn(addr), &gid);
	conn->set = set;
	conn->tx = ipoib_conn_set_tx(set, addr);
	conn->type = type;
	conn->service = service;
	conn->active = active;
	conn->since = jiffies;
	conn->used = jiffies;
	refcount_set(&conn->refs, 1);
	__skb_queue_head_init(&conn->staged);
	__skb_queue_head_init(&conn->backlog);
	INIT_LIST_HEAD(&conn->behind);
	INIT_LIST_HEAD(&conn->node);
	init_completion(&conn->last_wqe);
	INIT_WORK(&conn->work, conn_work);
	INIT_DELAYED_WORK(&conn->late, late_work);
	INIT_WORK(&conn->turn_work, turn_work);
	INIT_DELAYED_WORK(&conn->unanswered, unanswered_work);
	conn->turn.wq = set->wq;
	conn->turn.work = &conn->turn_work;
	conn->turn.share = &set->idev->conn_share;
	ipoib_conn_set_hold(set);
	ipoib_object_created(IPOIB_OBJ_CONN);
	return conn;
}

/**
 * ipoib_conn_put - give a reference back
 * @conn: the connection
 *
 * Context: Any but hard interrupt.
 */
void ipoib_conn_put(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;

	if (!refcount_dec_and_test(&conn->refs))
		return;

	kfree_rcu(conn, rcu);
	ipoib_object_destroyed(IPOIB_OBJ_CONN);
	ipoib_conn_set_put(set);
}

/**
 * ipoib_conn_kick - set a bit of ipoib_conn.pending and queue the work
 * @conn: the connection, still in its set; to a DEAD one it does nothing
 * @what: bit of ipoib_conn.pending
 *
 * Context: Any.
 */
void ipoib_conn_kick(struct ipoib_conn *conn, enum ipoib_conn_pending what)
{
	/*
	 * A running conn_work() that clears the bit must see what the caller has written
	 * before.
	 */
	smp_mb__before_atomic();
	set_bit(what, &conn->pending);
	/* Each queued run of conn_work() has a reference of its own. */
	ipoib_conn_hold(conn);
	if (!queue_work(conn->set->wq, &conn->work))
		ipoib_conn_put(conn);
}

/**
 * ipoib_conn_close - close a connection, which its work will do
 * @conn: the connection, not DEAD
 * @err: a negative errno if it has failed, 0 if it is not wanted any more
 *
 * Context: Any.
 */
void ipoib_conn_close(struct ipoib_conn *conn, int err)
{
	cmpxchg(&conn->err, 0, err);
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_CLOSE);
}

static void late_work(struct work_struct *work)
{
	struct ipoib_conn *conn = container_of(to_delayed_work(work),
					       struct ipoib_conn, late);

	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_LATE);
}

/* Cancel the timeout of the step before; an expiry that conn_work() has not seen is void. */
static void end_time(struct ipoib_conn *conn)
{
	cancel_delayed_work_sync(&conn->late);
	clear_bit(IPOIB_CONN_PENDING_LATE, &conn->pending);
}

static void give_time(struct ipoib_conn *conn, unsigned long delay)
{
	end_time(conn);
	queue_delayed_work(conn->set->wq, &conn->late, delay);
}

/* ---- turns of REQs and DREQs ----------------------------------------------- */

static void turn_work(struct work_struct *work)
{
	struct ipoib_conn *conn = container_of(work, struct ipoib_conn, turn_work);

	queue_delayed_work(conn->set->wq, &conn->unanswered, TURN_TIME);
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_TURN);
}

static void unanswered_work(struct work_struct *work)
{
	struct ipoib_conn *conn = container_of(to_delayed_work(work),
					       struct ipoib_conn, unanswered);

	ipoib_turn_end(conn->set->idev->config.conn_turns, &conn->turn);
}

static void turn_ask(struct ipoib_conn *conn)
{
	ipoib_turn_ask(conn->set->idev->config.conn_turns, &conn->turn);
}

/* The answer has come, or none is waited for any more. */
static void turn_end(struct ipoib_conn *conn)
{
	ipoib_turn_end(conn->set->idev->config.conn_turns, &conn->turn);
	cancel_work_sync(&conn->turn_work);
	cancel_delayed_work_sync(&conn->unanswered);
	clear_bit(IPOIB_CONN_PENDING_TURN, &conn->pending);
}

/* ---- opening: path request and REQ ---------------------------------------- */

static void route_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_conn *conn = ctx;

	if (!err && !route->path)
		err = -EOPNOTSUPP;
	if (err) {
		ipoib_conn_close(conn, err);
		return;
	}
	conn->path = *route->path;
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_ROUTE);
}

static void route_release(void *ctx)
{
	ipoib_conn_put(ctx);
}

static int ask_route(struct ipoib_conn *conn)
{
	const struct ipoib_request_owner owner = {
		.ctx		= conn,
		.done		= route_done,
		.release	= route_release,
	};
	struct ipoib_fabric *fabric = &conn->set->idev->fabric;
	struct ipoib_request *req;
	union ib_gid gid;

	ipoib_hwaddr_gid(&conn->addr, &gid);
	ipoib_conn_hold(conn);
	req = fabric->ops->path(fabric, &gid, &owner);
	if (IS_ERR(req)) {
		ipoib_conn_put(conn);
		return PTR_ERR(req);
	}
	conn->req = req;
	return 0;
}

static void route_end(struct ipoib_conn *conn)
{
	if (conn->req)
		ipoib_request_end(conn->req);
	conn->req = NULL;
}

/*
 * ipoib_conn_can_migrate() wants both paths to lead from the same port to the same port, by
 * different LIDs: a REQ may name any path, and without this check its sender could divert
 * packets for one port to another. When a connection migrates, the CM copies the alternate
 * address over the primary one, with the reference on the GID that a GRH has: so both paths
 * have a GRH, or neither has.
 */
bool ipoib_conn_can_migrate(const struct ipoib_conn *conn, const struct sa_path_rec *path,
			    const struct sa_path_rec *alt)
{
	/* On UC nobody would notice that the path has failed. */
	return conn->type == IB_QPT_RC &&
	       ipoib_fabric_migrates(&conn->set->idev->fabric) &&
	       path->rec_type == SA_PATH_REC_TYPE_IB &&
	       alt->rec_type == SA_PATH_REC_TYPE_IB &&
	       !memcmp(&path->sgid, &alt->sgid, sizeof(path->sgid)) &&
	       !memcmp(&path->dgid, &alt->dgid, sizeof(path->dgid)) &&
	       path->pkey == alt->pkey && path->mtu == alt->mtu &&
	       !path->hop_limit == !alt->hop_limit &&
	       ipoib_fabric_same_port(&conn->set->idev->fabric,
				      be16_to_cpu(path->ib.dlid),
				      be16_to_cpu(alt->ib.dlid)) &&
	       (path->ib.slid != alt->ib.slid ||
		path->ib.dlid != alt->ib.dlid);
}

/**
 * ipoib_conn_same_way - did two REQs come from one port
 * @conn: a connection that its peer has opened
 * @other: another one, of the same interface
 *
 * By the LID or the MAC that the REP goes to: who gave another one than its own got none. The
 * GID is what the sender of the REQ says.
 *
 * Return: true if they did; so it is for all that come by one router, too.
 * Context: Any.
 */
bool ipoib_conn_same_way(const struct ipoib_conn *conn, const struct ipoib_conn *other)
{
	return ipoib_path_leads_to(&conn->set->idev->fabric, &conn->path,
				   other->path.roce.dmac, ipoib_path_dlid(&other->path));
}

/* An error is ignored: the connection works without an alternate path. */
static void alt_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_conn *conn = ctx;

	if (!err && route->path) {
		conn->alt = *route->path;
		WRITE_ONCE(conn->alt_state, IPOIB_CONN_ALT_FOUND);
	}
	ipoib_conn_kick(conn, IPOIB_CONN_PENDING_ROUTE);
}

/* ask_alt() returns false if there will be no answer about an alternate path to wait for. */
static bool ask_alt(struct ipoib_conn *conn)
{
	const struct ipoib_request_owner owner = {
		.ctx		= conn,
		.done		= alt_done,
		.release	= route_release,
	};
	struct ipoib_fabric *fabric = &conn->set->idev->fabric;
	struct ipoib_request *req;

	if (conn->alt_state != IPOIB_CONN_ALT_WANTED || conn->type != IB_QPT_RC ||
	    !fabric->ops->alt_path)
		return false;

	WRITE_ONCE(conn->alt_state, IPOIB_CONN_ALT_ASKED);
	ipoib_conn_hold(conn);
	req = fabric->ops->alt_path(fabric, &conn->path, &owner);
	if (IS_ERR(req)) {
		ipoib_conn_put(conn);
		return false;
	}
	conn->req = req;
	return true;
}

static void do_want(struct ipoib_conn *conn)
{
	int err;

	if (!conn_step(conn, IPOIB_CONN_EV_WANT))
		return;
	queue_delayed_work(conn->set->wq, &conn->late, MAKE_TIMEOUT);
	err = ask_route(conn);
	if (err)
		ipoib_conn_close(conn, err);
}

static int send_req(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	struct ipoib_cm_private data;
	struct ib_cm_req_param param = {
		.primary_path			= &conn->path,
		.alternate_path			= ipoib_conn_alt_is_loaded(conn) ?
						  &conn->alt : NULL,
		.service_id			= ipoib_service_id(conn->service,
						ipoib_hwaddr_qpn(&conn->addr)),
		.qp_num				= conn->qp->qp_num,
		.qp_type			= conn->type,
		.starting_psn			= get_random_u32() & 0xffffff,
		.private_data			= &data,
		.responder_resources		= 1,
		.initiator_depth		= 1,
		.remote_cm_response_timeout	= CM_TIMEOUT,
		.local_cm_response_timeout	= CM_TIMEOUT,
		.retry_count			= IPOIB_CONN_RETRIES,
		.rnr_retry_count		= IPOIB_CONN_RNR_RETRIES,
		.max_cm_retries			= CM_RETRIES,
		.srq				= !!conn->rx->srq,
	};
	int err;

	param.private_data_len = ipoib_cm_pack(&data, set->qpn, set->mtu, set->link_sums);
	param.ppath_sgid_attr = ipoib_fabric_hold_gid(&set->idev->fabric);
	if (!param.ppath_sgid_attr)
		return -ENETDOWN;

	err = ib_send_cm_req(conn->cm_id, &param);
	rdma_put_gid_attr(param.ppath_sgid_attr);
	return err;
}

/*
 * Decide under the set's lock that our REQ is sent: from here on admit() treats a REQ of the
 * peer as crossing ours. Returns false if ipoib_conn_set_leave() has closed this connection
 * already, in favour of one that the peer has opened.
 */
static bool commit(struct ipoib_conn *conn)
{
	struct ipoib_conn_set *set = conn->set;
	bool sent;

	spin_lock_bh(&set->lock);
	sent = !conn->leaving && conn_step(conn, IPOIB_CONN_EV_TURN);
	spin_unlock_bh(&set->lock);
	return sent;
}

static int ask(struct ipoib_conn *conn)
{
	struct ib_cm_id *cm_id;
	int err;

	err = ipoib_conn_qp_new(conn);
	if (err)
		return err;

	cm_id = ib_create_cm_id(conn->set->idev->config.pd->device, ipoib_conn_event,
				conn);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	conn->cm_id = cm_id;
	ipoib_object_created(IPOIB_OBJ_CM_ID);
	/* If commit() refuses, ipoib_conn_set_leave() has closed the connection already. */
	return commit(conn) ? send_req(conn) : 0;
}

static void do_route(struct ipoib_conn *conn)
{
	bool loaded;

	route_end(conn);
	if (conn->state == IPOIB_CONN_RESOLVING && ask_alt(conn))
		return;
	if (!conn_step(conn, IPOIB_CONN_EV_ROUTE))
		return;
	loaded = conn->alt_state == IPOIB_CONN_ALT_FOUND &&
		 ipoib_conn_can_migrate(conn, &conn->path, &conn->alt);
	WRITE_ONCE(conn->alt_state, loaded ? IPOIB_CONN_ALT_LOADED : IPOIB_CONN_ALT_NONE);
	turn_ask(conn);
}

/* ---- REP and RTU, received and sent --------------------------------------- */

/* Set what the private data of both ends says about packets. */
static void agree(struct ipoib_conn *conn)
{
	WRITE_ONCE(conn->mtu, ipoib_cm_mtu(conn->set->mtu, conn->theirs.mtu));
	WRITE_ONCE(conn->to.link_sums, conn->set->link_sums && conn->theirs.link_sums);
}

static void take_packets(struct ipoib_conn *conn)
{
	if (ipoib_conn_set_sends_by(conn))
		ipoib_conn_peer_publish(conn);
}

static void do_rep(struct ipoib_conn *conn)
{
	struct ipoib_cm_private data;
	int err;

	if (conn->state != IPOIB_CONN_REQ_SENT)
		return;

	turn_end(conn);
	agree(conn);
	ipoib_cm_pack(&data, conn->set->qpn, conn->set->mtu, false);
	err = ipoib_conn_qp_connect(conn, conn->cm_id, false, 0) ?:
	      ib_send_cm_rtu(conn->cm_id, &data, IPOIB_CM_PRIVATE_RFC);
	if (err) {
		ipoib_conn_close(conn, err);
		return;
	}
	conn->accepted_at = jiffies;
	ipoib_conn_heard(conn);
	conn_step(conn, IPOIB_CONN_EV_REP);
	cancel_delayed_work(&conn->late);
	take_packets(conn);
}

/*
 * The peer has rejected our REQ, but another connection is about to be made. Until then packets
 * too long for UD wait on this one: otherwise the stack would be told the MTU of UD, and would
 * keep to it for all packets to the peer for ten minutes.
 */
static void wait_for_another(struct ipoib_conn *conn, enum ipoib_conn_event event,
			     unsigned long timeout)
{
	if (conn_step(conn, event)) {
		turn_end(conn);
		give_time(conn, timeout);
	} else if (conn->state != IPOIB_CONN_DEAD) {
		/* If it is closing already, it keeps its turn to tell the peer. */
		ipoib_conn_close(conn, -ECONNREFUSED);
	}
}

/*
 * RFC 4755 section 3.3: the peer's REQ crossed ours and stands. The CM handles messages on
 * several CPUs, so it may report the REJ before that REQ.
 */
static void do_yield(struct ipoib_conn *conn)
{
	wait_for_another(conn, IPOIB_CONN_EV_YIELD, YIELD_TIMEOUT);
}

/* The peer has an older connection and needs some seconds to notice that it is dead. */
static void do_stale(struct ipoib_conn *conn)
{
	wait_for_another(conn, IPOIB_CONN_EV_STALE, STALE_TIMEOUT);
}

static int answer(struct ipoib_conn *conn)
{
	struct ipoib_cm_private data;
	struct ib_cm_rep_param param = {
		.starting_psn		= get_random_u32() & 0xffffff,
		.private_data		= &data,
		.responder_resources	= 1,
		.initiator_depth	= 1,
		.failover_accepted	= conn->alt_state == IPOIB_CONN_ALT_REFUSED ?
					  FAILOVER_REFUSED : 0,
		.rnr_retry_count	= IPOIB_CONN_RNR_RETRIES,
	};
	int err;

	agree(conn);
	err = ipoib_conn_qp_new(conn) ?:
	      ipoib_conn_qp_connect(conn, conn->cm_id, true, param.starting_psn);
	if (err)
		return err;

	param.qp_num = conn->qp->qp_num;
	param.srq = !!conn->rx->srq;
	param.private_data_len = ipoib_cm_pack(&data, conn->set->qpn, conn->set->mtu,
					       conn->to.link_sums);
	return ib_send_cm_rep(conn->cm_id, &param);
}

static void do_req(struct ipoib_conn *conn)
{
	int err;

	if (!conn_step(conn, IPOIB_CONN_EV_REQ))
		return;
	queue_delayed_work(conn->set->wq, &conn->late, ANSWER_TIMEOUT);
	err = answer(conn);
	if (!err)
		return;
	ipoib_conn_set_refuse(conn->set, conn->cm_id, IB_CM_REJ_NO_RESOURCES);
	ipoib_conn_close(conn, err);
}

static void do_rtu(struct ipoib_conn *conn)
{
	bool fresh = conn->state == IPOIB_CONN_REP_SENT;

	ipoib_conn_heard(conn);
	if (!conn_step(conn, IPOIB_CONN_EV_RTU) || !fresh)
		return;
	cancel_delayed_work(&conn->late);
	take_packets(conn);
}

/*
 * A packet came before the RTU, IBTA 12.9.6. ib_cm_notify() makes the CM report USER_ESTABLISHED
 * and repeat its REP no more. It is called from here, with no lock held and softirqs enabled,
 * because the locks of the CM are not safe against interrupts.
 */
static void do_data(struct ipoib_conn *conn)
{
	if (conn->state == IPOIB_CONN_REP_SENT)
		ib_cm_notify(conn->cm_id, IB_EVENT_COMM_EST);
}

/*
 * The HCA has migrated to the alternate path, with all packets that it had. That happens once,
 * because no third path is loaded.
 */
static void do_path(struct ipoib_conn *conn)
{
	if (!ipoib_conn_alt_is_loaded(conn))
		return;
	WRITE_ONCE(conn->alt_state, IPOIB_CONN_ALT_NONE);
	WRITE_ONCE(conn->migrations, conn->migrations + 1);
	trace_ipoib_conn_path(conn->set->idev->dev->name,
			      (u8 *)conn->addr.gid, "primary", "alternate");

	/* Without ib_cm_notify() the CM would send the DREQ by the path that has failed. */
	if (conn->cm_id)
		ib_cm_notify(conn->cm_id, IB_EVENT_PATH_MIG);
}

/* ---- closing -------------------------------------------------------------- */

static void end(struct ipoib_conn *conn)
{
	if (!conn_step(conn, IPOIB_CONN_EV_DONE))
		return;

	/* 1. No more events from the CM or the timer. The CM may send a REJ, which has its turn. */
	cancel_delayed_work_sync(&conn->late);
	if (conn->cm_id) {
		ib_destroy_cm_id(conn->cm_id);
		conn->cm_id = NULL;
		ipoib_object_destroyed(IPOIB_OBJ_CM_ID);
	}
	turn_end(conn);

	/* 2. Free the QP, and the packets that it still had. */
	ipoib_conn_qp_free(conn);

	/* 3. Leave the set, which gives its reference back. */
	ipoib_conn_set_remove(conn);
}

/*
 * is_empty() takes the bundle's lock, because backlog_send() has a packet off the backlog before it
 * is on the ring.
 */
static bool is_empty(const struct ipoib_conn *conn)
{
	spinlock_t *lock = &conn->tx->bundle->lock;
	bool empty;

	spin_lock_bh(lock);
	empty = !conn->qp || (!ipoib_txring_waits(&conn->ring) && list_empty(&conn->behind));
	spin_unlock_bh(lock);
	return empty;
}

/*
 * has_drained() says whether what was sent before the close has left, or has had its time. The last
 * packets may have been posted just now, and no completion tells of them: they have
 * IPOIB_TX_TAIL_TIME, once, for they would be flushed when the peer knows. do_late() goes on then.
 * Who was idle keeps nobody waiting for its place.
 */
static bool has_drained(struct ipoib_conn *conn)
{
	if (!is_empty(conn))
		return false;
	if (!conn->qp || !ipoib_ring_used(&conn->ring.ring) ||
	    time_after(jiffies, READ_ONCE(conn->used) + IPOIB_TX_TAIL_TIME))
		return true;
	if (!conn->lingers)
		give_time(conn, IPOIB_TX_TAIL_TIME);
	conn->lingers = true;
	return false;
}

/*
 * Send a DREQ, or a DREP if the DREQ was the peer's. The CM repeats the DREQ until it is
 * answered, because a peer that missed it would send by UC for ever. Packets of the peer that
 * are still under way are received until conn_flush().
 */
static void disconnect(struct ipoib_conn *conn)
{
	if (!conn_step(conn, IPOIB_CONN_EV_DISCONNECT))
		return;
	if (!conn->cm_id) {
		conn->disconnected = true;
	} else if (ib_send_cm_dreq(conn->cm_id, NULL, 0)) {
		/*
		 * The DREQ was the peer's, or the connection was never established. In the
		 * second case the CM sends a REJ when the identifier is destroyed, without the
		 * private data that RFC 4755 section 3.2 asks for. A REJ sent from here could
		 * have that data, but then the CM would not cancel its REQ or REP: it would
		 * wait for an answer for as long as the peer has requested.
		 */
		ib_send_cm_drep(conn->cm_id, NULL, 0);
		conn->disconnected = true;
	}
	give_time(conn, DRAIN_TIMEOUT);
}

/*
 * Is the answer of the peer to our DREQ worth waiting for? A connection that has failed, or that
 * makes room for another, holds a place that others wait for; and for one of a set that has ended
 * a namespace may wait, and all that end after it. On RC a peer that was not told finds out when
 * it sends.
 */
static bool awaits_drep(const struct ipoib_conn *conn)
{
	return !conn->disconnected && !READ_ONCE(conn->err) && !READ_ONCE(conn->leaving) &&
	       (conn->type != IB_QPT_RC || READ_ONCE(conn->set->open));
}

/* If only packets are waited for now, it is for no longer than if it had been so before. */
static void hurry(struct ipoib_conn *conn)
{
	if (conn->state != IPOIB_CONN_DREP_WAIT || awaits_drep(conn))
		return;
	conn_step(conn, IPOIB_CONN_EV_FLUSH);
	give_time(conn, CLOSE_TIMEOUT);
}

/* The peer knows that the connection ends, or will not say so any more. */
static void set_disconnected(struct ipoib_conn *conn)
{
	conn->disconnected = true;
	hurry(conn);
}

/* Tell the peer when it is our turn to. */
static void wait_for_turn(struct ipoib_conn *conn)
{
	if (!conn->cm_id || conn->disconnected) {
		disconnect(conn);
		return;
	}
	WARN_ON_ONCE(!conn_step(conn, IPOIB_CONN_EV_DRAINED));
	give_time(conn, TURN_TIMEOUT + get_random_u32_below(TURN_TIMEOUT));
	turn_ask(conn);
}

/*
 * End traffic in both directions. In the error state the QP gives back the packets that the HCA
 * has.
 */
static void conn_flush(struct ipoib_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	bool waits = awaits_drep(conn);

	WARN_ON_ONCE(!conn_step(conn, waits ? IPOIB_CONN_EV_UNANSWERED : IPOIB_CONN_EV_FLUSH));
	ipoib_conn_peer_abandon(conn);
	if (conn->qp) {
		ib_modify_qp(conn->qp, &attr, IB_QP_STATE);
		ipoib_conn_tx_poll(conn->tx);
	}
	give_time(conn, waits ? TELL_TIMEOUT : CLOSE_TIMEOUT);
}

static void do_close(struct ipoib_conn *conn)
{
	/* It is closing already, but if it or its set has ended now there is less to wait for. */
	if (!conn_step(conn, IPOIB_CONN_EV_CLOSE)) {
		hurry(conn);
		return;
	}

	/* 1. No more packets of senders, no path request. */
	ipoib_conn_peer_unpublish(conn);
	route_end(conn);

	/* 2. Cancel the timeout of the state before, and the turn of its REQ. */
	end_time(conn);
	turn_end(conn);

	/*
	 * 3. Give packets time to arrive, unless the connection has failed or the peer has
	 * disconnected. tx_complete() and is_empty() look at each other's data without a
	 * barrier, so that the ring is empty may be missed: then the timer ends the wait.
	 */
	if (READ_ONCE(conn->err) || conn->disconnected)
		wait_for_turn(conn);
	else
		queue_delayed_work(conn->set->wq, &conn->late, DRAIN_TIMEOUT);
}

/* The peer has sent a DREQ. Packets that we have under way go before the DREP. */
static void do_dreq(struct ipoib_conn *conn)
{
	do_close(conn);
	conn_step(conn, IPOIB_CONN_EV_DREQ);
	/* Ours need not be sent any more. */
	if (conn->state == IPOIB_CONN_DREQ_WAIT) {
		turn_end(conn);
		disconnect(conn);
	}
	if (conn->state >= IPOIB_CONN_DISCONNECTING) {
		/*
		 * Both ends have sent a DREQ, and the CM only remembers that of the peer:
		 * answer it.
		 */
		if (conn->cm_id)
			ib_send_cm_drep(conn->cm_id, NULL, 0);
		set_disconnected(conn);
	}
}

static void do_disconnected(struct ipoib_conn *conn)
{
	turn_end(conn);
	set_disconnected(conn);
	/*
	 * A REJ for a stale connection puts the CM into timewait, which on RoCE is over before
	 * STALE_TIMEOUT. That must not end the wait of do_stale().
	 */
	if (conn->state == IPOIB_CONN_STALE)
		return;
	do_close(conn);
	disconnect(conn);
}

/* The turn of its REQ has come, or of what ends it. */
static void do_turn(struct ipoib_conn *conn)
{
	int err;

	if (conn->state == IPOIB_CONN_REQ_WAIT) {
		err = ask(conn);
		if (err)
			ipoib_conn_close(conn, err);
	} else if (conn->state == IPOIB_CONN_DREQ_WAIT) {
		disconnect(conn);
	}
}

static void do_late(struct ipoib_conn *conn)
{
	switch (conn->state) {
	case IPOIB_CONN_STALE:
		ipoib_conn_close(conn, -ESTALE);
		break;
	case IPOIB_CONN_DRAINING:
		wait_for_turn(conn);
		break;
	case IPOIB_CONN_DREQ_RCVD:
	case IPOIB_CONN_DREQ_WAIT:
		disconnect(conn);
		break;
	case IPOIB_CONN_DISCONNECTING:
		conn_flush(conn);
		break;
	case IPOIB_CONN_DREP_WAIT:
	case IPOIB_CONN_FLUSHING:
		end(conn);
		break;
	default:
		if (conn->state < IPOIB_CONN_ESTABLISHED)
			ipoib_conn_close(conn, -ETIMEDOUT);
		break;
	}
}

/*
 * Take the steps of closing that are due, whatever has happened. do_late() takes the next one if
 * that takes too long.
 */
static void go_on_closing(struct ipoib_conn *conn)
{
	if (conn->state == IPOIB_CONN_DRAINING && has_drained(conn))
		wait_for_turn(conn);
	if (conn->state == IPOIB_CONN_DREQ_RCVD && has_drained(conn))
		disconnect(conn);
	if (conn->state == IPOIB_CONN_DISCONNECTING &&
	    (conn->disconnected || READ_ONCE(conn->err)))
		conn_flush(conn);
	if (conn->state == IPOIB_CONN_FLUSHING && conn->disconnected && is_empty(conn))
		end(conn);
}

/*
 * Handlers, in the order in which events that came together are handled. DRAINED needs none but
 * go_on_closing().
 */
static void (* const see_to[])(struct ipoib_conn *conn) = {
	[IPOIB_CONN_PENDING_CLOSE]		= do_close,
	[IPOIB_CONN_PENDING_WANT]		= do_want,
	[IPOIB_CONN_PENDING_ROUTE]		= do_route,
	[IPOIB_CONN_PENDING_TURN]		= do_turn,
	[IPOIB_CONN_PENDING_REQ]		= do_req,
	[IPOIB_CONN_PENDING_REP]		= do_rep,
	[IPOIB_CONN_PENDING_YIELD]		= do_yield,
	[IPOIB_CONN_PENDING_STALE]		= do_stale,
	[IPOIB_CONN_PENDING_RTU]		= do_rtu,
	[IPOIB_CONN_PENDING_DATA]		= do_data,
	[IPOIB_CONN_PENDING_PATH]		= do_path,
	[IPOIB_CONN_PENDING_DREQ]		= do_dreq,
	[IPOIB_CONN_PENDING_DISCONNECTED]	= do_disconnected,
	[IPOIB_CONN_PENDING_LATE]		= do_late,
};

static void conn_work(struct work_struct *work)
{
	struct ipoib_conn *conn = container_of(work, struct ipoib_conn, work);
	/* Packets of a block device may wait for the connection: no page may wait for that. */
	unsigned int noio = memalloc_noio_save();
	int i;

	for (i = 0; i < ARRAY_SIZE(see_to); i++)
		if (test_and_clear_bit(i, &conn->pending) && see_to[i])
			see_to[i](conn);
	go_on_closing(conn);
	ipoib_conn_put(conn);
	memalloc_noio_restore(noio);
}
