// SPDX-License-Identifier: GPL-2.0
#include "sa.h"

#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "sa_wire.h"

/*
 * How long the SA has to answer a query, and how often the query is sent. A list takes the SA
 * longer to send, and a repeated query would make it start again.
 */
#define ANSWER_MS	1000
#define ANSWER_TRIES	4
#define LIST_MS		8000
#define LIST_TRIES	2

/*
 * Most MADs that the MAD layer has. The turns allow fewer queries, but an HCA that hangs keeps the
 * MADs of those that were cancelled, too.
 */
#define MAX_MADS	128

/**
 * struct ipoib_sa_sm - address of the subnet manager, which is that of the SA
 * @refs: one of struct ipoib_sa, one of each MAD that the MAD layer has
 * @ah: address handle of the SM's port
 * @lid: LID of the SM's port
 * @sl: service level
 * @pkey_index: index in the table of our port of the P_Key with which the SA is asked
 * @subnet_prefix: prefix of the subnet; used if the address has a GRH
 */
struct ipoib_sa_sm {
	refcount_t refs;
	struct ib_ah *ah;
	u32 lid;
	u8 sl;
	u16 pkey_index;
	u64 subnet_prefix;
};

static void sm_put(struct ipoib_sa_sm *sm)
{
	if (!sm || !refcount_dec_and_test(&sm->refs))
		return;

	rdma_destroy_ah(sm->ah, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(sm);
}

static bool sm_same(const struct ipoib_sa_sm *a,
		    const struct ipoib_sa_sm *b)
{
	if (!a || !b)
		return a == b;
	return a->lid == b->lid && a->sl == b->sl &&
	       a->pkey_index == b->pkey_index &&
	       a->subnet_prefix == b->subnet_prefix;
}

static struct ib_ah *sm_handle(struct ipoib_sa *sa, const struct ipoib_sa_sm *sm)
{
	struct rdma_ah_attr attr = {};

	attr.type = rdma_ah_find_type(sa->ibdev, sa->port);
	rdma_ah_set_port_num(&attr, sa->port);
	rdma_ah_set_dlid(&attr, sm->lid);
	rdma_ah_set_sl(&attr, sm->sl);
	if (rdma_is_grh_required(sa->ibdev, sa->port)) {
		rdma_ah_set_grh(&attr, NULL, 0, 0, 0, 0);
		rdma_ah_set_subnet_prefix(&attr,
					  cpu_to_be64(sm->subnet_prefix));
		rdma_ah_set_interface_id(&attr,
					 cpu_to_be64(IB_SA_WELL_KNOWN_GUID));
	}
	return rdma_create_ah(sa->agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

/* Query the port. Returns NULL if the port knows no SM, or on any error. */
static struct ipoib_sa_sm *sm_new(struct ipoib_sa *sa)
{
	struct ipoib_sa_sm *sm;
	struct ib_port_attr port;

	if (ib_query_port(sa->ibdev, sa->port, &port) ||
	    port.state != IB_PORT_ACTIVE || !port.sm_lid)
		return NULL;

	sm = kzalloc(sizeof(*sm), GFP_KERNEL);
	if (!sm)
		return NULL;

	refcount_set(&sm->refs, 1);
	sm->lid = port.sm_lid;
	sm->sl = port.sm_sl;
	sm->subnet_prefix = port.subnet_prefix;
	/*
	 * The search also finds 0x7fff, limited membership in the default partition, which is
	 * enough to send queries to the SA. A port that has neither asks with the first P_Key
	 * of its table, as the RDMA core does: the SM may be in that partition, too.
	 */
	if (ib_find_cached_pkey(sa->ibdev, sa->port, IB_DEFAULT_PKEY_FULL,
				&sm->pkey_index))
		sm->pkey_index = 0;

	sm->ah = sm_handle(sa, sm);
	if (IS_ERR(sm->ah))
		goto err_free;
	return sm;

err_free:
	kfree(sm);
	return NULL;
}

/*
 * Take a query away from the MAD layer, which may keep the MAD for as long as the HCA does:
 * sa_sent() and sa_received() find no query at it any more.
 */
static void query_take_back(struct ipoib_sa_query *query)
{
	lockdep_assert_held(&query->sa->lock);

	query->msg->context[0] = NULL;
	ib_cancel_mad(query->msg);
	query->msg = NULL;
}

/*
 * Have the queries that were sent to the old SM wait for the new one, because the old one is not
 * going to answer. This is done once for each query, so that it ends even if the SM keeps moving.
 */
static void restart_all(struct ipoib_sa *sa)
{
	struct ipoib_sa_query *query, *next;

	lockdep_assert_held(&sa->lock);

	list_for_each_entry_safe(query, next, &sa->sent, node) {
		if (query->restarted || query->answer)
			continue;
		query->restarted = true;
		query_take_back(query);
		list_move_tail(&query->node, &sa->waiting);
	}
}

static void look_at_port(struct ipoib_sa *sa)
{
	struct ipoib_sa_sm *sm;
	bool stale;

	spin_lock_bh(&sa->lock);
	stale = sa->stale;
	sa->stale = false;
	spin_unlock_bh(&sa->lock);
	if (!stale)
		return;

	sm = sm_new(sa);
	spin_lock_bh(&sa->lock);
	if (!sm_same(sm, sa->sm)) {
		swap(sm, sa->sm);
		restart_all(sa);
	}
	spin_unlock_bh(&sa->lock);
	sm_put(sm);
}

/* The query is over: have query_work() tell who has asked. */
static void query_over(struct ipoib_sa_query *query, int err)
{
	lockdep_assert_held(&query->sa->lock);

	list_del_init(&query->node);
	query->msg = NULL;
	query->err = err;
	queue_work(query->sa->wq, &query->work);
}

/*
 * Post the MAD of a query. Holding the lock is safe: ib_post_send_mad() never calls sa_sent()
 * from within, and the MAD layer holds no lock of its own when it does call.
 */
static int query_send(struct ipoib_sa_query *query, struct ib_mad_send_buf *msg)
{
	bool list = query->ask.mad_hdr.method == IB_SA_METHOD_GET_TABLE;
	struct ipoib_sa *sa = query->sa;
	struct ib_sa_mad *mad = msg->mad;
	int err;

	lockdep_assert_held(&sa->lock);

	*mad = query->ask;
	mad->mad_hdr.tid = cpu_to_be64((u64)sa->agent->hi_tid << 32 |
				       ++sa->tid);
	msg->ah = sa->sm->ah;
	msg->context[0] = query;
	msg->context[1] = sa->sm;
	msg->timeout_ms = list ? LIST_MS : ANSWER_MS;
	msg->retries = (list ? LIST_TRIES : ANSWER_TRIES) - 1;

	err = ib_post_send_mad(msg, NULL);
	if (err)
		return err;

	refcount_inc(&sa->sm->refs);
	sa->mads++;
	query->msg = msg;
	list_move_tail(&query->node, &sa->sent);
	return 0;
}

static struct ipoib_sa_query *first_waiting(struct ipoib_sa *sa)
{
	lockdep_assert_held(&sa->lock);

	return list_first_entry_or_null(&sa->waiting, struct ipoib_sa_query, node);
}

static bool has_work(struct ipoib_sa *sa)
{
	bool has;

	spin_lock_bh(&sa->lock);
	has = first_waiting(sa) && (!sa->sm || sa->mads < MAX_MADS);
	spin_unlock_bh(&sa->lock);
	return has;
}

/*
 * Send the first waiting query, or fail it if there is no SM. Only sa_work() writes @sm of the
 * agent, so it needs no lock to read it. The query may have been cancelled while the MAD was made.
 */
static void send_next(struct ipoib_sa *sa)
{
	struct ib_mad_send_buf *msg = ERR_PTR(-ENETUNREACH);
	struct ipoib_sa_query *query;
	int err;

	if (sa->sm)
		msg = ib_create_send_mad(sa->agent, 1, sa->sm->pkey_index, 0,
					 IB_MGMT_SA_HDR, IB_MGMT_SA_DATA,
					 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	err = PTR_ERR_OR_ZERO(msg);

	spin_lock_bh(&sa->lock);
	query = first_waiting(sa);
	if (query && !err)
		err = query_send(query, msg);
	if (query && err)
		query_over(query, err);
	spin_unlock_bh(&sa->lock);

	if (!IS_ERR(msg) && (err || !query))
		ib_free_send_mad(msg);
}

static void sa_work(struct work_struct *work)
{
	struct ipoib_sa *sa = container_of(work, struct ipoib_sa, work);
	unsigned int noio = memalloc_noio_save();

	look_at_port(sa);
	while (has_work(sa)) {
		send_next(sa);
		look_at_port(sa);
		cond_resched();
	}
	memalloc_noio_restore(noio);
}

static int error_of(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return 0;
	case IB_WC_RESP_TIMEOUT_ERR:
		return -ETIMEDOUT;
	case IB_WC_WR_FLUSH_ERR:
		return -ECANCELED;
	default:
		return -EIO;
	}
}

/*
 * Send handler of the agent: the MAD layer is done with a MAD. If it was answered, sa_received()
 * has been called before.
 */
static void sa_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ipoib_sa_sm *sm = wc->send_buf->context[1];
	struct ipoib_sa *sa = agent->context;
	struct ipoib_sa_query *query;

	spin_lock_bh(&sa->lock);
	query = wc->send_buf->context[0];
	if (query)
		query_over(query, error_of(wc->status));
	/* The SM may have moved without an event of the port. */
	sa->stale |= wc->status == IB_WC_RESP_TIMEOUT_ERR;
	sa->mads--;
	/* This does not queue the work after ipoib_sa_close() has stopped it. */
	if (query || first_waiting(sa))
		queue_work(sa->wq, &sa->work);
	spin_unlock_bh(&sa->lock);

	ib_free_send_mad(wc->send_buf);
	sm_put(sm);
}

static void sa_received(struct ib_mad_agent *agent,
			struct ib_mad_send_buf *send_buf,
			struct ib_mad_recv_wc *answer)
{
	struct ipoib_sa *sa = agent->context;
	struct ipoib_sa_query *query;

	if (send_buf) {
		spin_lock_bh(&sa->lock);
		query = send_buf->context[0];
		if (query)
			swap(query->answer, answer);
		spin_unlock_bh(&sa->lock);
	}
	if (answer)
		ib_free_recv_mad(answer);
}

/*
 * Let sa_work() query the port when it runs next. A node whose SM has died, but which still
 * runs, answers -EOPNOTSUPP for itself, while another SM may have taken over elsewhere.
 */
static void sa_doubt(struct ipoib_sa *sa)
{
	spin_lock_bh(&sa->lock);
	sa->stale = true;
	spin_unlock_bh(&sa->lock);
}

static void drop_answer(struct ipoib_sa_query *query)
{
	if (query->answer)
		ib_free_recv_mad(query->answer);
	query->answer = NULL;
}

/* This needs no lock: only this work and ipoib_sa_cancel(), which waits for it, have the query. */
static void query_work(struct work_struct *work)
{
	struct ipoib_sa_query *query = container_of(work, struct ipoib_sa_query, work);
	unsigned int noio = memalloc_noio_save();

	if (query->answer)
		query->err = ipoib_sa_wire_check(&query->ask, ipoib_sa_answer(query),
						 query->answer->mad_len, &query->status);
	else if (!query->err)
		query->err = -EPROTO;
	if (query->err == -EOPNOTSUPP)
		sa_doubt(query->sa);

	query->done(query);
	drop_answer(query);
	memalloc_noio_restore(noio);
}

/**
 * ipoib_sa_query_init - make a query that ipoib_sa_ask() can send
 * @query: result, zeroed; part of an object of the caller's
 * @sa: agent of the port
 * @done: called when the query is over, see struct ipoib_sa_query
 *
 * Context: Any.
 */
void ipoib_sa_query_init(struct ipoib_sa_query *query, struct ipoib_sa *sa,
			 void (*done)(struct ipoib_sa_query *query))
{
	query->sa = sa;
	query->done = done;
	INIT_WORK(&query->work, query_work);
	INIT_LIST_HEAD(&query->node);
}

/**
 * ipoib_sa_ask - send a query to the SA
 * @query: a query whose @ask is set, and that was never sent or has been cancelled since
 *
 * @done of the query is called within 4 seconds, or 16 if @ask is for a list; and within twice
 * that if the SM moves meanwhile.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_sa_ask(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;

	query->restarted = false;
	query->status = 0;
	spin_lock_bh(&sa->lock);
	list_add_tail(&query->node, &sa->waiting);
	sa->stale |= !sa->sm;
	queue_work(sa->wq, &sa->work);
	spin_unlock_bh(&sa->lock);
}

/**
 * ipoib_sa_cancel - end a query, wherever it is
 * @query: a query, sent or not
 *
 * When this returns, @done does not run and is not going to be called, and the query may be freed
 * or sent again. As cancel_work_sync() it waits for @done if that runs, but for neither SA nor HCA.
 *
 * Context: Process context, may sleep. Must not be called from @done, nor with a lock held that
 * @done takes.
 */
void ipoib_sa_cancel(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;

	spin_lock_bh(&sa->lock);
	list_del_init(&query->node);
	if (query->msg)
		query_take_back(query);
	spin_unlock_bh(&sa->lock);

	cancel_work_sync(&query->work);
	drop_answer(query);
}

/**
 * ipoib_sa_event - handle an asynchronous event of the port
 * @sa: agent of the port
 * @event: the event; one that cannot change where the SM is has no effect
 *
 * Context: Any but hard interrupt.
 */
void ipoib_sa_event(struct ipoib_sa *sa, enum ib_event_type event)
{
	bool renew = false;

	switch (event) {
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		renew = true;
		break;
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_GID_CHANGE:
		break;
	default:
		return;
	}

	spin_lock_bh(&sa->lock);
	sa->stale = true;
	queue_work(sa->wq, &sa->work);
	spin_unlock_bh(&sa->lock);

	/*
	 * The subscribers are told after @stale is set, so that sa_work() looks for the new SM
	 * before it sends their InformInfo.
	 */
	if (renew)
		ipoib_sa_subscribers_renew(&sa->subscribers);
}

/**
 * ipoib_sa_sm_lid - LID of the subnet manager
 * @sa: agent of the port
 *
 * Return: the LID that the port had when sa_work() last queried it; 0 if there is no SM.
 * Context: Any but hard interrupt.
 */
u32 ipoib_sa_sm_lid(struct ipoib_sa *sa)
{
	u32 lid;

	spin_lock_bh(&sa->lock);
	lid = sa->sm ? sa->sm->lid : 0;
	spin_unlock_bh(&sa->lock);
	return lid;
}

/**
 * ipoib_sa_open - make the agent of a port for its subnet administrator
 * @ibdev: RDMA device
 * @port: number of an InfiniBand port of @ibdev
 * @wq: work queue; unbound, and outlives the result
 *
 * The subnet need not have an SM yet.
 *
 * Return: the agent, to be closed by ipoib_sa_close(); or an ERR_PTR().
 * Context: Process context, may sleep.
 */
struct ipoib_sa *ipoib_sa_open(struct ib_device *ibdev, u32 port,
			       struct workqueue_struct *wq)
{
	struct ib_mad_agent *agent;
	struct ipoib_sa *sa;

	sa = kzalloc(sizeof(*sa), GFP_KERNEL);
	if (!sa)
		return ERR_PTR(-ENOMEM);

	sa->ibdev = ibdev;
	sa->port = port;
	sa->wq = wq;
	INIT_WORK(&sa->work, sa_work);
	spin_lock_init(&sa->lock);
	INIT_LIST_HEAD(&sa->waiting);
	INIT_LIST_HEAD(&sa->sent);
	sa->stale = true;
	ipoib_sa_subscribers_init(&sa->subscribers, sa);

	/* The handlers of the agent cannot run before the first query is sent. */
	agent = ib_register_mad_agent(ibdev, port, IB_QPT_GSI, NULL,
				      IB_MGMT_RMPP_VERSION, sa_sent,
				      sa_received, sa, 0);
	if (IS_ERR(agent)) {
		kfree(sa);
		return ERR_CAST(agent);
	}
	sa->agent = agent;

	queue_work(wq, &sa->work);
	return sa;
}

/**
 * ipoib_sa_close - undo ipoib_sa_open()
 * @sa: all queries have been cancelled and all subscribers deleted, and ipoib_sa_event() is not
 *	called any more
 *
 * Context: Process context, may sleep. Waits for the SA for a fifth of a second at most. Must
 * not be called from @wq.
 */
void ipoib_sa_close(struct ipoib_sa *sa)
{
	/* 1. End the subscriptions to reports, and with them the last query. */
	ipoib_sa_subscribers_stop(&sa->subscribers);

	/* 2. Stop the work: only queries and events queue it, and there are none any more. */
	cancel_work_sync(&sa->work);

	/* 3. Have the MAD layer call sa_sent() for all MADs that it still has. */
	ib_unregister_mad_agent(sa->agent);

	/* 4. Free what the MADs used. */
	sm_put(sa->sm);
	kfree(sa);
}
