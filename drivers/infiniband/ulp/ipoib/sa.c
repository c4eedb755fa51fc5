// SPDX-License-Identifier: GPL-2.0
#include "sa.h"

#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "sa_wire.h"
#include "stats.h"

/*
 * How long the SA has to answer a query, and how often the query is sent. A query that has
 * waited WAIT to be sent fails, because the SA does not answer the ones before it either. A
 * list takes the SA longer to send, and a repeated query would make it start again.
 */
#define ANSWER_MS	1000
#define ANSWER_TRIES	4
#define LIST_MS		8000
#define LIST_TRIES	2
#define WAIT		msecs_to_jiffies(ANSWER_MS * ANSWER_TRIES)

/**
 * struct ipoib_sa_sm - address of the subnet manager, which is that of the SA
 * @refs: one of struct ipoib_sa, one of each query that the MAD layer has
 * @ah: address handle of the SM's port
 * @lid: LID of the SM's port
 * @sl: service level
 * @pkey_index: index of the default partition's P_Key in the table of our port
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

/*
 * WAITING: the query is on the list @waiting of the agent. SENT: the MAD layer has it. ANSWERED:
 * query_work() is going to call the owner. OVER: query_work() has called the owner, or the
 * owner has cancelled the query and must not be called.
 */
enum query_state {
	QUERY_WAITING,
	QUERY_SENT,
	QUERY_ANSWERED,
	QUERY_OVER,
};

/**
 * struct ipoib_sa_query - a query to the SA
 * @sa: agent that sends the query
 * @owner: callbacks of the owner; constant
 * @read: parses an answer whose status is good; NULL if there is nothing to parse;
 *	constant
 * @mgid: the group that is asked for; used by @read
 * @ask: the MAD to send, without transaction ID; constant
 * @timeout_ms: how long the SA has for an answer, milliseconds; constant
 * @tries: how often the MAD is sent; constant
 * @work: calls the owner, frees the query
 * @node: entry of @queries of @sa
 * @waiting: entry of @waiting of @sa
 * @state: see enum query_state
 * @ended: the owner has cancelled the query and must not be called but for @release
 * @again: the query went to an SM that has moved, and waits again unless it is answered
 * @restarted: @again has been set once, and is not set a second time
 * @since: jiffies since when the query is WAITING
 * @sm: address that the query was sent to, referenced, while it is SENT
 * @msg: the MAD, while the query is SENT
 * @answer: the answer, or NULL
 * @err: error if there is no answer
 *
 * The lock of @sa protects all from @node on; @answer and @err belong to @work
 * once the query is ANSWERED. @work frees the query when it is OVER and @ended.
 */
struct ipoib_sa_query {
	struct ipoib_sa *sa;
	struct ipoib_sa_owner owner;
	int (*read)(struct ipoib_sa_query *query, const struct ib_sa_mad *mad,
		    struct ib_sa_mcmember_rec *rec);
	union ib_gid mgid;
	struct ib_sa_mad ask;
	unsigned int timeout_ms;
	unsigned int tries;
	struct work_struct work;
	struct list_head node;
	struct list_head waiting;
	enum query_state state;
	bool ended;
	bool again;
	bool restarted;
	unsigned long since;
	struct ipoib_sa_sm *sm;
	struct ib_mad_send_buf *msg;
	struct ib_mad_recv_wc *answer;
	int err;
};

static void sa_kick(struct ipoib_sa *sa)
{
	lockdep_assert_held(&sa->lock);

	if (!sa->closing)
		mod_delayed_work(sa->wq, &sa->work, 0);
}

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
	 * enough to send queries to the SA.
	 */
	if (ib_find_cached_pkey(sa->ibdev, sa->port, IB_DEFAULT_PKEY_FULL,
				&sm->pkey_index))
		goto err_free;

	sm->ah = sm_handle(sa, sm);
	if (IS_ERR(sm->ah))
		goto err_free;
	return sm;

err_free:
	kfree(sm);
	return NULL;
}

/*
 * Take back the queries that were sent to the old SM, which is not going to answer. sa_sent() puts
 * each on the list of waiting queries again, once.
 */
static void restart_all(struct ipoib_sa *sa)
{
	struct ipoib_sa_query *query;

	lockdep_assert_held(&sa->lock);

	list_for_each_entry(query, &sa->queries, node) {
		if (query->state != QUERY_SENT || query->restarted ||
		    query->ended)
			continue;
		query->again = true;
		query->restarted = true;
		ib_cancel_mad(query->msg);
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

static void query_answered(struct ipoib_sa_query *query, int err)
{
	lockdep_assert_held(&query->sa->lock);

	query->err = err;
	query->state = QUERY_ANSWERED;
	queue_work(query->sa->wq, &query->work);
}

static void query_wait(struct ipoib_sa_query *query)
{
	lockdep_assert_held(&query->sa->lock);

	query->state = QUERY_WAITING;
	query->since = jiffies;
	list_add_tail(&query->waiting, &query->sa->waiting);
}

/*
 * Post the MAD of a query. Holding the lock is safe: ib_post_send_mad() never calls sa_sent()
 * from within, and the MAD layer holds no lock of its own when it does call.
 */
static int query_send(struct ipoib_sa_query *query, struct ib_mad_send_buf *msg)
{
	struct ipoib_sa *sa = query->sa;
	struct ib_sa_mad *mad = msg->mad;
	int err;

	lockdep_assert_held(&sa->lock);

	*mad = query->ask;
	mad->mad_hdr.tid = cpu_to_be64((u64)sa->agent->hi_tid << 32 |
				       ++sa->tid);
	msg->ah = sa->sm->ah;
	msg->context[0] = query;
	msg->timeout_ms = query->timeout_ms;
	msg->retries = query->tries - 1;

	err = ib_post_send_mad(msg, NULL);
	if (err)
		return err;

	query->state = QUERY_SENT;
	query->msg = msg;
	query->sm = sa->sm;
	refcount_inc(&query->sm->refs);
	sa->sent++;
	return 0;
}

static struct ipoib_sa_query *first_waiting(struct ipoib_sa *sa)
{
	lockdep_assert_held(&sa->lock);

	return list_first_entry_or_null(&sa->waiting, struct ipoib_sa_query,
					waiting);
}

/* Fail the waiting queries if there is no SM, and those that have waited too long. */
static void refuse_waiting(struct ipoib_sa *sa)
{
	struct ipoib_sa_query *query;

	lockdep_assert_held(&sa->lock);

	while ((query = first_waiting(sa))) {
		bool late = time_after_eq(jiffies, query->since + WAIT);

		if (sa->sm && !late)
			break;
		list_del(&query->waiting);
		query_answered(query, sa->sm ? -ETIMEDOUT : -ENETUNREACH);
	}
}

static bool may_send(struct ipoib_sa *sa, u16 *pkey_index)
{
	bool may;

	spin_lock_bh(&sa->lock);
	refuse_waiting(sa);
	may = sa->sm && first_waiting(sa) && sa->sent < IPOIB_SA_MAX_SENT;
	if (may)
		*pkey_index = sa->sm->pkey_index;
	spin_unlock_bh(&sa->lock);
	return may;
}

/*
 * Send the first waiting query. The result of may_send() is still true when the lock is taken
 * again, because only sa_work() changes @sm or increments @sent. The query itself may
 * have been cancelled.
 */
static bool send_next(struct ipoib_sa *sa)
{
	struct ipoib_sa_query *query;
	struct ib_mad_send_buf *msg;
	u16 pkey_index;
	int err;

	if (!may_send(sa, &pkey_index))
		return false;

	msg = ib_create_send_mad(sa->agent, 1, pkey_index, 0, IB_MGMT_SA_HDR,
				 IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	err = PTR_ERR_OR_ZERO(msg);

	spin_lock_bh(&sa->lock);
	query = first_waiting(sa);
	if (query) {
		list_del(&query->waiting);
		if (!err)
			err = query_send(query, msg);
		if (err)
			query_answered(query, err);
	}
	spin_unlock_bh(&sa->lock);

	if (!IS_ERR(msg) && (err || !query))
		ib_free_send_mad(msg);
	return query;
}

static void sa_work(struct work_struct *work)
{
	struct ipoib_sa *sa = container_of(to_delayed_work(work),
					   struct ipoib_sa, work);
	struct ipoib_sa_query *query;
	unsigned long now = jiffies;
	unsigned int noio = memalloc_noio_save();

	look_at_port(sa);
	while (send_next(sa))
		cond_resched();
	memalloc_noio_restore(noio);

	/*
	 * Return when the first waiting query is due to fail. All else that sa_work() has to
	 * react to calls sa_kick().
	 */
	spin_lock_bh(&sa->lock);
	query = first_waiting(sa);
	if (query && !sa->closing) {
		unsigned long end = query->since + WAIT;

		queue_delayed_work(sa->wq, &sa->work,
				   time_after(end, now) ? end - now : 0);
	}
	spin_unlock_bh(&sa->lock);
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
 * Send handler of the agent: the MAD layer is done with a query. If the query was answered,
 * sa_received() has been called before.
 */
static void sa_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ipoib_sa_query *query = wc->send_buf->context[0];
	struct ipoib_sa *sa = query->sa;
	struct ipoib_sa_sm *sm;

	spin_lock_bh(&sa->lock);
	sm = query->sm;
	query->sm = NULL;
	query->msg = NULL;
	sa->sent--;
	/* The SM may have moved without an event of the port. */
	if (wc->status == IB_WC_RESP_TIMEOUT_ERR)
		sa->stale = true;
	if (query->again && !query->answer && !query->ended && !sa->closing)
		query_wait(query);
	else
		query_answered(query, error_of(wc->status));
	query->again = false;
	sa_kick(sa);
	spin_unlock_bh(&sa->lock);

	ib_free_send_mad(wc->send_buf);
	sm_put(sm);
}

static void sa_received(struct ib_mad_agent *agent,
			struct ib_mad_send_buf *send_buf,
			struct ib_mad_recv_wc *answer)
{
	struct ipoib_sa_query *query;

	if (send_buf) {
		query = send_buf->context[0];
		spin_lock_bh(&query->sa->lock);
		swap(query->answer, answer);
		spin_unlock_bh(&query->sa->lock);
	}
	if (answer)
		ib_free_recv_mad(answer);
}

/*
 * Returns true if the owner has cancelled the query, which it may do at any time. A callback
 * that has begun by then is the late call that the owner must expect until @release.
 */
static bool query_ended(struct ipoib_sa_query *query)
{
	return READ_ONCE(query->ended);
}

static int read_group(struct ipoib_sa_query *query, const struct ib_sa_mad *mad,
		      struct ib_sa_mcmember_rec *rec)
{
	return ipoib_sa_wire_group(mad, query->answer->mad_len, &query->mgid,
				   rec);
}

static int read_list(struct ipoib_sa_query *query, const struct ib_sa_mad *mad,
		     struct ib_sa_mcmember_rec *rec)
{
	struct ib_mad_recv_wc *answer = query->answer;
	struct ib_mad_recv_buf *segment;
	struct ipoib_sa_table table;
	int ret;

	ret = ipoib_sa_table_init(&table, mad, answer->mad_len);
	if (ret)
		return ret;

	list_for_each_entry(segment, &answer->rmpp_list, list) {
		unsigned int pos = 0;

		mad = (const struct ib_sa_mad *)segment->mad;
		while ((ret = ipoib_sa_table_next(&table, mad->data, &pos,
						  rec)) > 0) {
			if (query_ended(query))
				return 0;
			query->owner.group(query->owner.ctx, rec);
		}
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
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

static void query_tell(struct ipoib_sa_query *query)
{
	struct ib_sa_mcmember_rec rec;
	int err = query->err;
	u16 status = 0;

	if (query->answer) {
		const struct ib_sa_mad *mad =
			(const struct ib_sa_mad *)query->answer->recv_buf.mad;

		err = ipoib_sa_wire_check(&query->ask, mad,
					  query->answer->mad_len, &status);
		if (!err && query->read)
			err = query->read(query, mad, &rec);
	} else if (!err) {
		err = -EPROTO;
	}
	if (err == -EOPNOTSUPP)
		sa_doubt(query->sa);

	if (!query_ended(query))
		query->owner.done(query->owner.ctx, err, status,
				  !err && query->read == read_group ? &rec :
								      NULL);
}

static void query_free(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;

	if (query->answer)
		ib_free_recv_mad(query->answer);
	query->owner.release(query->owner.ctx);

	spin_lock_bh(&sa->lock);
	list_del(&query->node);
	sa->count--;
	spin_unlock_bh(&sa->lock);

	kfree(query);
	ipoib_object_destroyed(IPOIB_OBJ_QUERY);
	ipoib_usecnt_put(&sa->users);
}

static void query_work(struct work_struct *work)
{
	struct ipoib_sa_query *query = container_of(work, struct ipoib_sa_query,
						    work);
	struct ipoib_sa *sa = query->sa;
	bool tell, ended;

	spin_lock_bh(&sa->lock);
	tell = query->state == QUERY_ANSWERED && !query->ended;
	spin_unlock_bh(&sa->lock);
	if (tell) {
		unsigned int noio = memalloc_noio_save();

		query_tell(query);
		memalloc_noio_restore(noio);
	}

	/* From now on ipoib_sa_cancel() queues the work, which then frees the query. */
	spin_lock_bh(&sa->lock);
	query->state = QUERY_OVER;
	ended = query->ended;
	spin_unlock_bh(&sa->lock);
	if (ended)
		query_free(query);
}

static struct ipoib_sa_query *query_new(struct ipoib_sa *sa,
					const struct ipoib_sa_owner *owner)
{
	struct ipoib_sa_query *query;

	query = kzalloc(sizeof(*query), GFP_ATOMIC | __GFP_NOWARN);
	if (!query)
		return NULL;

	query->sa = sa;
	query->owner = *owner;
	query->timeout_ms = ANSWER_MS;
	query->tries = ANSWER_TRIES;
	INIT_WORK(&query->work, query_work);
	return query;
}

/* Put a new query on the list. On error the query is freed. */
static struct ipoib_sa_query *query_start(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;
	int err = 0;

	spin_lock_bh(&sa->lock);
	if (sa->closing) {
		err = -ESHUTDOWN;
	} else if (sa->count >= IPOIB_SA_MAX_QUERIES) {
		err = -EBUSY;
	} else {
		list_add_tail(&query->node, &sa->queries);
		sa->count++;
		ipoib_usecnt_get(&sa->users);
		ipoib_object_created(IPOIB_OBJ_QUERY);
		query_wait(query);
		sa->stale |= !sa->sm;
		sa_kick(sa);
	}
	spin_unlock_bh(&sa->lock);

	if (err) {
		kfree(query);
		return ERR_PTR(err);
	}
	return query;
}

/**
 * ipoib_sa_get_group - query whether a group exists, and its parameters
 * @sa: agent of the port
 * @mgid: MGID of the group
 * @owner: callbacks; copied. @group is not used
 *
 * @done is called within about 8 seconds, or 16 if the SM moves meanwhile.
 *
 * Return: the query, to be given back by ipoib_sa_cancel(); or an ERR_PTR(), and no
 * function of @owner is called: -ENOMEM, -EBUSY if there are too many queries,
 * -ESHUTDOWN while @sa is being closed.
 * Context: Any but hard interrupt.
 */
struct ipoib_sa_query *ipoib_sa_get_group(struct ipoib_sa *sa,
					  const union ib_gid *mgid,
					  const struct ipoib_sa_owner *owner)
{
	struct ipoib_sa_query *query = query_new(sa, owner);

	if (!query)
		return ERR_PTR(-ENOMEM);

	query->mgid = *mgid;
	query->read = read_group;
	ipoib_sa_wire_get_group(&query->ask, mgid);
	return query_start(query);
}

/**
 * ipoib_sa_list_groups - query all groups of a partition
 * @sa: agent of the port
 * @pkey: P_Key of the partition, as it stands in the groups' records
 * @owner: callbacks; copied
 *
 * @group of @owner is called for each group, then @done, with 0 if the list was complete.
 * @done is called within about 20 seconds, or 40 if the SM moves meanwhile.
 *
 * Return: the query or an ERR_PTR(), as ipoib_sa_get_group().
 * Context: Any but hard interrupt.
 */
struct ipoib_sa_query *ipoib_sa_list_groups(struct ipoib_sa *sa, u16 pkey,
					    const struct ipoib_sa_owner *owner)
{
	struct ipoib_sa_query *query = query_new(sa, owner);

	if (!query)
		return ERR_PTR(-ENOMEM);

	query->read = read_list;
	query->timeout_ms = LIST_MS;
	query->tries = LIST_TRIES;
	ipoib_sa_wire_list_groups(&query->ask, pkey);
	return query_start(query);
}

/**
 * ipoib_sa_set_inform - send an InformInfo: subscribe to the reports of a trap, or unsubscribe
 * @sa: agent of the port
 * @trap: the trap
 * @subscribe: false ends a subscription
 * @owner: callbacks; copied. @group is not used
 *
 * Only for sa_inform.c, because the SA keeps one subscription per port, not one per caller.
 *
 * Return: the query or an ERR_PTR(), as ipoib_sa_get_group().
 * Context: Any but hard interrupt.
 */
struct ipoib_sa_query *ipoib_sa_set_inform(struct ipoib_sa *sa,
					   enum ipoib_sa_trap trap, bool subscribe,
					   const struct ipoib_sa_owner *owner)
{
	struct ipoib_sa_query *query = query_new(sa, owner);

	if (!query)
		return ERR_PTR(-ENOMEM);

	ipoib_sa_wire_inform(&query->ask, trap, subscribe);
	return query_start(query);
}

static void query_end(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;

	lockdep_assert_held(&sa->lock);

	WRITE_ONCE(query->ended, true);
	switch (query->state) {
	case QUERY_WAITING:
		list_del(&query->waiting);
		query->state = QUERY_OVER;
		queue_work(sa->wq, &query->work);
		break;
	case QUERY_SENT:
		ib_cancel_mad(query->msg);
		break;
	case QUERY_ANSWERED:
		/*
		 * The work is queued and will see @ended, or it is running and looks at @ended
		 * once more before it returns.
		 */
		break;
	case QUERY_OVER:
		queue_work(sa->wq, &query->work);
		break;
	}
}

/**
 * ipoib_sa_cancel - give a query back
 * @query: a query, answered or not; the caller must not use it any more
 *
 * The owner has to call this exactly once for every query. @release is called soon
 * afterwards. Never sleeps.
 *
 * Context: Any but hard interrupt; also from the owner's callbacks, except @release.
 */
void ipoib_sa_cancel(struct ipoib_sa_query *query)
{
	struct ipoib_sa *sa = query->sa;

	spin_lock_bh(&sa->lock);
	query_end(query);
	spin_unlock_bh(&sa->lock);
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
	sa_kick(sa);
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
	ipoib_usecnt_init(&sa->users);
	INIT_DELAYED_WORK(&sa->work, sa_work);
	spin_lock_init(&sa->lock);
	INIT_LIST_HEAD(&sa->queries);
	INIT_LIST_HEAD(&sa->waiting);
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

	spin_lock_bh(&sa->lock);
	sa_kick(sa);
	spin_unlock_bh(&sa->lock);
	return sa;
}

/**
 * ipoib_sa_close - undo ipoib_sa_open()
 * @sa: no query is started and no subscriber is added or deleted any more
 *
 * Queries that their owners have not cancelled are cancelled here: @release of every query
 * has been called when this returns, and the owners must not call ipoib_sa_cancel() any more.
 *
 * Context: Process context, may sleep. Waits for the SA for a fifth of a second at most. Must
 * not be called from @wq.
 */
void ipoib_sa_close(struct ipoib_sa *sa)
{
	struct ipoib_sa_query *query;

	/* 1. End the subscriptions to reports. */
	ipoib_sa_subscribers_stop(&sa->subscribers);

	/* 2. Refuse new queries, and stop the work that sends waiting ones. */
	spin_lock_bh(&sa->lock);
	sa->closing = true;
	spin_unlock_bh(&sa->lock);
	cancel_delayed_work_sync(&sa->work);

	/* 3. Cancel the remaining queries. */
	spin_lock_bh(&sa->lock);
	list_for_each_entry(query, &sa->queries, node) {
		if (!query->ended)
			query_end(query);
	}
	spin_unlock_bh(&sa->lock);

	/* 4. Have the MAD layer call sa_sent() for all queries that it still has. */
	ib_unregister_mad_agent(sa->agent);

	/* 5. Wait until query_work() has freed all queries. */
	ipoib_usecnt_drain(&sa->users);

	/* 6. Free what the queries used. */
	sm_put(sa->sm);
	kfree(sa);
}
