// SPDX-License-Identifier: GPL-2.0
#include "mcast.h"

#include <linux/slab.h>

#include "backoff.h"
#include "device.h"
#include "mcast_set.h"
#include "peer.h"
#include "qp.h"
#include "stats.h"
#include "trace.h"

static const struct ipoib_backoff retry_delay = {
	.min_ms = 250,
	.max_ms = 16000,
};

/* Time for the RDMA core to tell the SA that a group was left, before it is joined anew. */
#define LEAVE_DELAY	(HZ / 10)

/* Shortest time between two questions to the SA whether a group still exists. */
#define CHECK_DELAY	HZ

/*
 * A new subnet manager may refuse a group because it does not know yet which groups there
 * are. After this time of refusals the old route is not used any more.
 */
#define REFUSAL_LIMIT	(30 * HZ)

/* Mean time after that until the refusal that ends the route is asked for. */
#define REFUSAL_SPREAD	(4 * HZ)

/* The SA reports groups that are created, so an absent group need not be asked for often. */
static const struct ipoib_backoff absent_delay = {
	.min_ms = 250,
	.max_ms = 120000,
};

static bool mcast_step(struct ipoib_mcast *group, enum ipoib_mcast_event event)
{
	const struct ipoib_fsm_edge *edge;

	lockdep_assert_held(&group->set->lock);

	edge = ipoib_fsm_step(&ipoib_mcast_fsm, group->state, event);
	if (!edge)
		return false;

	trace_ipoib_mcast_state(ipoib_mcast_set_dev(group->set)->dev->name,
				group->mgid.raw,
				ipoib_fsm_name(&ipoib_mcast_fsm, group->state),
				ipoib_fsm_name(&ipoib_mcast_fsm, edge->next));
	group->state = edge->next;
	return true;
}

/**
 * ipoib_mcast_membership - how an interface takes part in a group, for users
 * @group: the group
 *
 * Return: the word that debugfs and netlink have for it.
 * Context: Any.
 */
const char *ipoib_mcast_membership(const struct ipoib_mcast *group)
{
	static const char * const names[IPOIB_MEMBERSHIPS] = {
		[IPOIB_SEND_ONLY]	= "sendonly",
		[IPOIB_NON_MEMBER]	= "nonmember",
		[IPOIB_FULL_MEMBER]	= "member",
	};

	return names[group->membership];
}

/* The caller of ipoib_mcast_new() owns the one reference of the group and will add it to @set. */
struct ipoib_mcast *ipoib_mcast_new(struct ipoib_mcast_set *set,
				    const union ib_gid *mgid,
				    enum ipoib_membership membership)
{
	struct ipoib_mcast *group;

	group = kzalloc(sizeof(*group), GFP_ATOMIC | __GFP_NOWARN);
	if (!group)
		return NULL;

	group->mgid = *mgid;
	group->membership = membership;
	group->set = set;
	refcount_set(&group->refs, 1);
	group->state = IPOIB_MCAST_IDLE;
	group->checked_at = jiffies - CHECK_DELAY;
	ipoib_usecnt_get(&ipoib_mcast_set_dev(set)->users);
	ipoib_object_created(IPOIB_OBJ_MCAST);
	return group;
}

static void mcast_put(struct ipoib_mcast *group)
{
	struct ipoib_usecnt *users = &ipoib_mcast_set_dev(group->set)->users;

	if (!refcount_dec_and_test(&group->refs))
		return;

	kfree(group);
	ipoib_object_destroyed(IPOIB_OBJ_MCAST);
	ipoib_usecnt_put(users);
}

/*
 * ipoib_mcast_kill() moves a group from the list of its set to @dead; the caller has taken it out
 * of the hash. The function does not sleep; ipoib_mcast_leave() has to be called for the groups in
 * @dead.
 */
void ipoib_mcast_kill(struct ipoib_mcast *group, struct list_head *dead)
{
	mcast_step(group, IPOIB_MCAST_EV_LEAVE);
	list_move_tail(&group->entry, dead);
}

/*
 * ipoib_mcast_leave() consumes the reference of the set. A late answer to a request of the
 * group finds the group dead and changes nothing.
 */
void ipoib_mcast_leave(struct ipoib_mcast *group)
{
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);

	mutex_lock(&set->attach_lock);
	if (group->attached)
		ipoib_qp_detach(&idev->qp, &group->mgid, group->route.mlid);
	mutex_unlock(&set->attach_lock);

	if (group->req)
		ipoib_request_end(group->req);
	if (group->check)
		ipoib_request_end(group->check);
	if (group->peer)
		ipoib_peer_put(group->peer);
	rdma_destroy_ah_attr(&group->route.attr);
	mcast_put(group);
}

/* Errors that are an answer, and not the lack of one: asking again soon will not help. */
static bool is_refusal(int err)
{
	return err == -ENOENT || err == -EINVAL || err == -EMSGSIZE ||
	       err == -EPROTO || err == -EACCES;
}

/*
 * Time until a group is asked for again that was @refused, or that nobody has answered for. A route
 * that refusals are about to end does not live longer because the back-off has grown by then.
 */
static unsigned long time_to_retry(const struct ipoib_mcast *group, bool refused)
{
	bool rarely = group->membership == IPOIB_SEND_ONLY && ipoib_mcast_is_absent(group);
	unsigned long last = group->refused_since + REFUSAL_LIMIT - jiffies;
	unsigned long time;

	time = msecs_to_jiffies(ipoib_backoff_ms(rarely ? &absent_delay : &retry_delay,
						 group->failures, get_random_u32()));
	if (!refused || !group->routed)
		return time;
	return min(time, last + ipoib_backoff_spread(REFUSAL_SPREAD, get_random_u32()));
}

static struct ipoib_request *mcast_failed(struct ipoib_mcast *group, int err)
{
	bool sender = group->membership == IPOIB_SEND_ONLY;
	struct ipoib_request *req = group->req;
	bool at_once;

	lockdep_assert_held(&group->set->lock);

	/* A group that was to be joined as it is, and is not, is created now. */
	at_once = err == -ENETRESET ||
		  (err == -ENOENT && group->last_error == -EINVAL &&
		   group->membership == IPOIB_FULL_MEMBER);
	group->req = NULL;
	group->last_error = err == -ENETRESET ? 0 : err;

	/*
	 * Keep an old route while it may still be good. A refusal says that it is not: to a
	 * sender at once if it says why, which -EINVAL does not, for that is also what the RDMA
	 * core makes of an SA that is busy; otherwise if refusals go on for REFUSAL_LIMIT.
	 */
	if (!is_refusal(err))
		group->refused_since = jiffies;
	else if ((sender && err != -EINVAL) ||
		 time_after(jiffies, group->refused_since + REFUSAL_LIMIT))
		group->routed = false;

	group->retry_at = jiffies;
	if (!at_once) {
		group->failures++;
		group->retry_at += time_to_retry(group, is_refusal(err));
	}
	if (!group->routed)
		ipoib_mcast_answer(group);
	mcast_step(group, IPOIB_MCAST_EV_FAIL);
	return req;
}

static void mcast_joined(struct ipoib_mcast *group,
			 const struct ipoib_route *route)
{
	lockdep_assert_held(&group->set->lock);

	rdma_replace_ah_attr(&group->route.attr, &route->attr);
	group->route.qkey = route->qkey;
	group->route.mlid = route->mlid;
	group->route.mtu = route->mtu;
	group->attached = group->membership != IPOIB_SEND_ONLY;
	group->routed = true;
	group->failures = 0;
	group->last_error = 0;
	group->refused_since = jiffies;
	group->joined_at = jiffies;
	/* The doubt was about the membership before this one. */
	group->pending &= ~(IPOIB_MCAST_PENDING_CHECK | IPOIB_MCAST_PENDING_DELETED);
	ipoib_mcast_answer(group);
	mcast_step(group, IPOIB_MCAST_EV_OK);
}

/*
 * Attach the QP to a group that is being joined, unless it is attached by this LID already.
 *
 * The QP must have at most one attachment for an MGID, even if two struct ipoib_mcast have
 * that MGID one after the other, or the group gets another LID: some providers know a group
 * by its MGID alone and would take a second attachment for the first. So all attaching and
 * detaching is done under set->attach_lock. The function checks under that lock whether it
 * has to attach, and detaches from an old LID first. If the group is dead when it has
 * attached, mcast_done() detaches again before it gives up the lock, and only then can a
 * successor of the group attach.
 */
static int mcast_attach(struct ipoib_mcast *group, u16 mlid, bool *attached)
{
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	bool must, detach;
	u16 old;
	int err;

	lockdep_assert_held(&set->attach_lock);

	spin_lock_bh(&set->lock);
	old = group->route.mlid;
	must = group->membership != IPOIB_SEND_ONLY &&
	       group->state == IPOIB_MCAST_JOINING &&
	       !(group->attached && old == mlid);
	detach = must && group->attached;
	if (detach)
		group->attached = false;
	spin_unlock_bh(&set->lock);

	if (detach)
		ipoib_qp_detach(&idev->qp, &group->mgid, old);
	if (!must)
		return 0;

	err = ipoib_qp_attach(&idev->qp, &group->mgid, mlid);
	*attached = !err;
	return err;
}

static void mcast_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_mcast *group = ctx;
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_dev *idev = ipoib_mcast_set_dev(set);
	struct ipoib_request *req = NULL;
	bool attached = false;
	bool used = false;

	mutex_lock(&set->attach_lock);
	if (!err)
		err = mcast_attach(group, route->mlid, &attached);

	spin_lock_bh(&set->lock);
	if (err && (group->state == IPOIB_MCAST_JOINING ||
		    group->state == IPOIB_MCAST_JOINED)) {
		req = mcast_failed(group, err);
	} else if (!err && group->state == IPOIB_MCAST_JOINING) {
		mcast_joined(group, route);
		used = true;
	}
	spin_unlock_bh(&set->lock);

	if (attached && !used)
		ipoib_qp_detach(&idev->qp, &group->mgid, route->mlid);
	mutex_unlock(&set->attach_lock);

	if (req)
		ipoib_request_end(req);
	ipoib_mcast_set_changed(set, group);
}

static void mcast_release(void *ctx)
{
	struct ipoib_mcast *group = ctx;
	struct ipoib_mcast_set *set = group->set;

	spin_lock_bh(&set->lock);
	group->open--;
	spin_unlock_bh(&set->lock);

	/* ipoib_mcast_due() may have waited for the end of this request. */
	ipoib_mcast_set_sync(set);
	mcast_put(group);
}

bool ipoib_mcast_due(const struct ipoib_mcast *group)
{
	lockdep_assert_held(&group->set->lock);

	return !group->open &&
	       (group->state == IPOIB_MCAST_IDLE ||
		(group->state == IPOIB_MCAST_BACKOFF &&
		 time_after_eq(jiffies, group->retry_at)));
}

void ipoib_mcast_start(struct ipoib_mcast *group)
{
	const struct ipoib_request_owner owner = {
		.ctx		= group,
		.done		= mcast_done,
		.release	= mcast_release,
	};
	struct ipoib_fabric *fabric = &ipoib_mcast_set_dev(group->set)->fabric;
	struct ipoib_request *req;

	lockdep_assert_held(&group->set->lock);

	if (!mcast_step(group, IPOIB_MCAST_EV_START))
		return;

	/*
	 * mcast_done() runs in another context and has to take the set's lock, so it finds
	 * @req stored even if the answer comes at once.
	 */
	refcount_inc(&group->refs);
	group->open++;
	/* A join that may create a group names its parameters, and the group may have others. */
	req = fabric->ops->group(fabric, &group->mgid, group->membership,
				 group->last_error != -EINVAL, &owner);
	if (!IS_ERR(req)) {
		group->req = req;
	} else {
		group->open--;
		refcount_dec(&group->refs);
		mcast_failed(group, PTR_ERR(req));
	}
}

/**
 * ipoib_mcast_renew - end a membership that may have parameters from before, and join anew
 * @group: the group
 *
 * The route is used until the answer comes. A group that waits for a retry is left alone.
 *
 * Return: the request of the membership for the caller to end; NULL if the group is neither joined
 * nor being joined.
 * Context: Any but hard interrupt; the set's lock is held.
 */
struct ipoib_request *ipoib_mcast_renew(struct ipoib_mcast *group)
{
	struct ipoib_request *req;

	if (group->state != IPOIB_MCAST_JOINED && group->state != IPOIB_MCAST_JOINING)
		return NULL;
	req = mcast_failed(group, -ENETRESET);
	group->retry_at = jiffies + LEAVE_DELAY;
	return req;
}

/**
 * ipoib_mcast_again - ask for a group anew, because what we know of it may be wrong
 * @group: the group
 *
 * If the group is joined, its membership ends and it is due a moment later; its route is
 * used until the answer comes. If it waits for a retry, it is due at once.
 *
 * Return: the request of the membership for the caller to end, or NULL. It is NULL if the
 * group was not joined.
 * Context: Any but hard interrupt; the set's lock is held.
 */
struct ipoib_request *ipoib_mcast_again(struct ipoib_mcast *group)
{
	struct ipoib_request *req = NULL;

	lockdep_assert_held(&group->set->lock);

	if (group->state == IPOIB_MCAST_JOINED) {
		req = ipoib_mcast_renew(group);
	} else if (group->state == IPOIB_MCAST_BACKOFF) {
		group->retry_at = jiffies;
	} else if (group->state == IPOIB_MCAST_JOINING) {
		/*
		 * The open request may get an answer from before the event. Without failures
		 * the next try comes soon if it does.
		 */
		group->failures = 0;
	}
	return req;
}

/* Do packets to a group go as before? What else a record says of the group has no say in that. */
static bool is_same_route(const struct ipoib_route *a, const struct ipoib_route *b)
{
	const struct ib_global_route *to = rdma_ah_read_grh(&a->attr);
	const struct ib_global_route *other = rdma_ah_read_grh(&b->attr);

	return a->mlid == b->mlid && a->mtu == b->mtu && a->qkey == b->qkey &&
	       rdma_ah_get_sl(&a->attr) == rdma_ah_get_sl(&b->attr) &&
	       rdma_ah_get_static_rate(&a->attr) == rdma_ah_get_static_rate(&b->attr) &&
	       to->traffic_class == other->traffic_class &&
	       to->flow_label == other->flow_label && to->hop_limit == other->hop_limit;
}

/*
 * The SA says that the group exists. It is not the one that was joined if its LID is another one,
 * or anything else that the SA says of it; or if it was deleted and we are no FullMember, because
 * then the SA has dropped our membership, even if the new group is like the old one. A FullMember
 * keeps its group alive, so it does not believe a report of deletion. @route is NULL if the SA has
 * not said more.
 */
static bool is_another(const struct ipoib_mcast *group,
		       const struct ipoib_route *route)
{
	return (route && !is_same_route(route, &group->route)) ||
	       ((group->pending & IPOIB_MCAST_PENDING_DELETED) &&
		group->membership != IPOIB_FULL_MEMBER);
}

static void check_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_mcast *group = ctx;
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_request *check = NULL, *req = NULL;
	bool gone;

	/* The group has more members than the SA can name in its answer, so it exists. */
	if (err == -E2BIG)
		err = 0;
	spin_lock_bh(&set->lock);
	/* The check of a dead group is ended by ipoib_mcast_leave(). */
	if (group->state != IPOIB_MCAST_DEAD) {
		check = group->check;
		group->check = NULL;
		/* There may be one now whose packets are longer than the port can take. */
		gone = err == -ENOENT || err == -EMSGSIZE;
		if (gone || (!err && is_another(group, route)))
			req = ipoib_mcast_again(group);
		/*
		 * Without an answer a report of deletion is neither confirmed nor refuted: ask
		 * once more.
		 */
		if (!err || gone)
			group->pending &= ~IPOIB_MCAST_PENDING_DELETED;
		else if (group->pending & IPOIB_MCAST_PENDING_DELETED)
			group->pending |= IPOIB_MCAST_PENDING_CHECK;
	}
	spin_unlock_bh(&set->lock);

	if (check)
		ipoib_request_end(check);
	if (req)
		ipoib_request_end(req);
	ipoib_mcast_set_sync(set);
}

static void check_release(void *ctx)
{
	mcast_put(ctx);
}

/* ipoib_mcast_check_due() stores in @at the earliest time for the question, in jiffies. */
bool ipoib_mcast_check_due(const struct ipoib_mcast *group, unsigned long *at)
{
	lockdep_assert_held(&group->set->lock);

	*at = group->checked_at + CHECK_DELAY;
	return (group->pending & IPOIB_MCAST_PENDING_CHECK) && !group->check &&
	       group->state == IPOIB_MCAST_JOINED;
}

void ipoib_mcast_check_start(struct ipoib_mcast *group)
{
	const struct ipoib_request_owner owner = {
		.ctx		= group,
		.done		= check_done,
		.release	= check_release,
	};
	struct ipoib_fabric *fabric = &ipoib_mcast_set_dev(group->set)->fabric;
	struct ipoib_request *check;
	unsigned long at;

	if (!ipoib_mcast_check_due(group, &at) || time_before(jiffies, at))
		return;

	group->pending &= ~IPOIB_MCAST_PENDING_CHECK;
	group->checked_at = jiffies;
	refcount_inc(&group->refs);
	check = fabric->ops->find(fabric, &group->mgid, &owner);
	if (IS_ERR(check)) {
		group->pending |= IPOIB_MCAST_PENDING_CHECK;
		refcount_dec(&group->refs);
		return;
	}
	group->check = check;
}

/*
 * Anybody can forge a report. So the membership is given up only if the SA, when it is asked,
 * says that the group is gone; and it is asked at most once in CHECK_DELAY.
 */
void ipoib_mcast_check(struct ipoib_mcast *group, bool deleted)
{
	lockdep_assert_held(&group->set->lock);

	if (group->state != IPOIB_MCAST_JOINED ||
	    !ipoib_mcast_set_dev(group->set)->fabric.ops->find)
		return;

	group->pending |= IPOIB_MCAST_PENDING_CHECK;
	if (deleted)
		group->pending |= IPOIB_MCAST_PENDING_DELETED;
	ipoib_mcast_check_start(group);
}
