// SPDX-License-Identifier: GPL-2.0
#include "mcast.h"

#include <linux/jhash.h>
#include <linux/slab.h>

#include "backoff.h"
#include "hwaddr.h"
#include "mgid.h"
#include "peertable.h"
#include "stats.h"
#include "trace.h"

static const struct ipoib_backoff retry_delay = {
	.min_ms = 250,
	.max_ms = 16000,
};

/* When to try again to add a group for which there was no room. */
#define NO_ROOM_DELAY	(2 * HZ)

static void mcast_work(struct work_struct *work);

/**
 * ipoib_mcast_init - make an empty set, stopped
 * @set: @dev, @fabric, @qp, @users, @joined and @ctx are set
 *
 * Context: Process context.
 */
void ipoib_mcast_init(struct ipoib_mcast_set *set)
{
	INIT_DELAYED_WORK(&set->work, mcast_work);
	mutex_init(&set->attach_lock);
	spin_lock_init(&set->lock);
	hash_init(set->hash);
	set->running = false;
	set->ready = false;
	memset(set->count, 0, sizeof(set->count));
}

/**
 * ipoib_mcast_sync - follow the multicast list of the interface
 * @set: the set; nothing happens while it is stopped
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_sync(struct ipoib_mcast_set *set)
{
	if (READ_ONCE(set->running))
		mod_delayed_work(set->fabric->wq, &set->work, 0);
}

static bool mcast_step(struct ipoib_mcast *group, enum ipoib_mcast_event event)
{
	enum ipoib_mcast_state next;

	lockdep_assert_held(&group->set->lock);

	if (!ipoib_mcast_fsm_step(group->state, event, &next))
		return false;

	trace_ipoib_mcast_state(group->set->dev->name, group->mgid.raw,
				ipoib_mcast_state_name(group->state),
				ipoib_mcast_state_name(next));
	group->state = next;
	return true;
}

static u32 mgid_hash(const union ib_gid *mgid)
{
	return jhash(mgid->raw, sizeof(mgid->raw), 0);
}

static struct ipoib_mcast *group_find(struct ipoib_mcast_set *set,
				      const union ib_gid *mgid)
{
	struct ipoib_mcast *group;

	lockdep_assert_held(&set->lock);

	hash_for_each_possible(set->hash, group, node, mgid_hash(mgid)) {
		if (!memcmp(&group->mgid, mgid, sizeof(*mgid)))
			return group;
	}
	return NULL;
}

static struct ipoib_mcast *group_add(struct ipoib_mcast_set *set,
				     const union ib_gid *mgid,
				     enum ipoib_membership membership)
{
	static const unsigned int limits[IPOIB_MEMBERSHIPS] = {
		[IPOIB_SEND_ONLY]	= IPOIB_MAX_SEND_GROUPS,
		[IPOIB_FULL_MEMBER]	= IPOIB_MAX_MEMBER_GROUPS,
	};
	struct ipoib_mcast *group;

	lockdep_assert_held(&set->lock);

	if (set->count[membership] >= limits[membership])
		return NULL;

	group = kzalloc(sizeof(*group), GFP_ATOMIC | __GFP_NOWARN);
	if (!group)
		return NULL;

	group->mgid = *mgid;
	group->membership = membership;
	group->wanted = membership == IPOIB_FULL_MEMBER;
	group->set = set;
	refcount_set(&group->refs, 1);
	group->state = IPOIB_MCAST_IDLE;
	hash_add(set->hash, &group->node, mgid_hash(mgid));
	set->count[membership]++;
	ipoib_users_get(set->users);
	ipoib_object_created(IPOIB_OBJ_MCAST);
	return group;
}

static void group_put(struct ipoib_mcast *group)
{
	struct ipoib_users *users = group->set->users;

	if (!refcount_dec_and_test(&group->refs))
		return;

	kfree(group);
	ipoib_object_destroyed(IPOIB_OBJ_MCAST);
	ipoib_users_put(users);
}

/* Take a group out of the set; bury_all() does what cannot be done locked. */
static void group_kill(struct ipoib_mcast *group, struct list_head *dead)
{
	struct ipoib_mcast_set *set = group->set;

	lockdep_assert_held(&set->lock);

	mcast_step(group, IPOIB_MCAST_EV_LEAVE);
	hash_del(&group->node);
	set->count[group->membership]--;
	list_add_tail(&group->dead, dead);
}

static void bury_all(struct ipoib_mcast_set *set, struct list_head *dead)
{
	struct ipoib_mcast *group, *next;

	list_for_each_entry_safe(group, next, dead, dead) {
		if (group->attached) {
			mutex_lock(&set->attach_lock);
			ipoib_qp_detach(set->qp, &group->mgid,
					group->route.mlid);
			mutex_unlock(&set->attach_lock);
		}
		if (group->req)
			set->fabric->ops->end(group->req);
		if (group->peer)
			ipoib_peer_put(group->peer);
		rdma_destroy_ah_attr(&group->route.attr);
		group_put(group);
	}
}

/* Under the lock: what the answer of the fabric means for the group. */
static struct ipoib_request *group_failed(struct ipoib_mcast *group, int err)
{
	struct ipoib_request *req = group->req;
	u32 ms;

	lockdep_assert_held(&group->set->lock);

	group->req = NULL;
	group->failures++;
	group->last_error = err;
	ms = ipoib_backoff_ms(&retry_delay, group->failures, get_random_u32());
	group->retry_at = jiffies + msecs_to_jiffies(ms);
	group->answer = group->peer;
	mcast_step(group, IPOIB_MCAST_EV_FAIL);
	return req;
}

static void group_joined(struct ipoib_mcast *group,
			 const struct ipoib_route *route, bool attached)
{
	lockdep_assert_held(&group->set->lock);

	rdma_replace_ah_attr(&group->route.attr, &route->attr);
	group->route.qkey = route->qkey;
	group->route.mlid = route->mlid;
	group->route.mtu = route->mtu;
	group->attached = attached;
	group->failures = 0;
	group->last_error = 0;
	group->answer = group->peer;
	mcast_step(group, IPOIB_MCAST_EV_OK);
}

static bool group_waits(struct ipoib_mcast *group)
{
	bool waits;

	spin_lock_bh(&group->set->lock);
	waits = group->state == IPOIB_MCAST_JOINING;
	spin_unlock_bh(&group->set->lock);
	return waits;
}

/*
 * The QP has one attachment for each MGID, whichever of our objects made it.
 * So a dead group must not touch that of its successor: it looks before it
 * attaches, and undoes what it did before the successor gets the lock.
 */
static void group_done(void *ctx, int err, const struct ipoib_route *route)
{
	struct ipoib_mcast *group = ctx;
	struct ipoib_mcast_set *set = group->set;
	struct ipoib_request *req = NULL;
	bool attached = false;
	bool broadcast = false;
	bool dead;

	mutex_lock(&set->attach_lock);
	if (!err && group->membership == IPOIB_FULL_MEMBER &&
	    group_waits(group)) {
		err = ipoib_qp_attach(set->qp, &group->mgid, route->mlid);
		attached = !err;
	}

	spin_lock_bh(&set->lock);
	dead = group->state != IPOIB_MCAST_JOINING;
	if (!dead && err) {
		req = group_failed(group, err);
	} else if (!dead) {
		group_joined(group, route, attached);
		broadcast = !memcmp(&group->mgid, &set->broadcast,
				    sizeof(group->mgid));
		set->ready |= broadcast;
	}
	spin_unlock_bh(&set->lock);

	if (dead && attached)
		ipoib_qp_detach(set->qp, &group->mgid, route->mlid);
	mutex_unlock(&set->attach_lock);

	if (req)
		set->fabric->ops->end(req);
	if (broadcast)
		set->joined(set->ctx);
	ipoib_mcast_sync(set);
}

static void group_release(void *ctx)
{
	group_put(ctx);
}

static void group_start(struct ipoib_mcast *group)
{
	const struct ipoib_request_owner owner = {
		.ctx		= group,
		.done		= group_done,
		.release	= group_release,
	};
	struct ipoib_fabric *fabric = group->set->fabric;
	struct ipoib_request *req;

	lockdep_assert_held(&group->set->lock);

	if (!mcast_step(group, IPOIB_MCAST_EV_START))
		return;

	/* The answer comes from another context, which waits for the lock. */
	refcount_inc(&group->refs);
	req = fabric->ops->group(fabric, &group->mgid, group->membership,
				 &owner);
	if (!IS_ERR(req)) {
		group->req = req;
	} else {
		refcount_dec(&group->refs);
		group_failed(group, PTR_ERR(req));
	}
}

/*
 * Mark what is on the interface's multicast list, add what is new. Returns
 * false if there was no room for something.
 */
static bool mark_wanted(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	struct netdev_hw_addr *ha;
	bool room = true;
	int bkt;

	lockdep_assert_held(&set->lock);

	hash_for_each(set->hash, bkt, group, node)
		group->wanted = !memcmp(&group->mgid, &set->broadcast,
					sizeof(group->mgid));

	netdev_for_each_mc_addr(ha, set->dev) {
		union ib_gid mgid;

		memcpy(&mgid, ha->addr + 4, sizeof(mgid));
		if (!ipoib_mgid_on_link(&mgid, &set->broadcast))
			continue;

		group = group_find(set, &mgid);
		if (!group)
			group = group_add(set, &mgid, IPOIB_FULL_MEMBER);
		if (group)
			group->wanted = true;
		else
			room = false;
	}
	return room;
}

/*
 * A group whose membership is to change is replaced by one that is asked for
 * anew. Its sender keeps the address handle it has until then. Returns false
 * if there was no room for the successor.
 */
static bool sweep_one(struct ipoib_mcast *group, struct list_head *dead)
{
	bool member = group->membership == IPOIB_FULL_MEMBER;
	struct ipoib_mcast *heir;

	lockdep_assert_held(&group->set->lock);

	if (!group->wanted && !group->peer) {
		group_kill(group, dead);
		return true;
	}
	if (group->wanted == member)
		return true;

	heir = group_add(group->set, &group->mgid,
			 group->wanted ? IPOIB_FULL_MEMBER : IPOIB_SEND_ONLY);
	if (!heir)
		return false;

	heir->peer = group->peer;
	group->peer = NULL;
	group_kill(group, dead);
	return true;
}

/* Returns false if there was no room for all that is wanted. */
static bool sweep(struct ipoib_mcast_set *set, struct list_head *dead)
{
	struct ipoib_mcast *group;
	struct hlist_node *tmp;
	bool room;
	int bkt;

	netif_addr_lock_bh(set->dev);
	spin_lock(&set->lock);
	room = !set->running || mark_wanted(set);
	hash_for_each_safe(set->hash, bkt, tmp, group, node)
		room &= sweep_one(group, dead);
	spin_unlock(&set->lock);
	netif_addr_unlock_bh(set->dev);
	return room;
}

/* Start what is due; @next: jiffies when the next try will be due. */
static bool start_due(struct ipoib_mcast_set *set, unsigned long *next)
{
	struct ipoib_mcast *group;
	bool again = false;
	int bkt;

	lockdep_assert_held(&set->lock);

	hash_for_each(set->hash, bkt, group, node) {
		if (!set->ready && memcmp(&group->mgid, &set->broadcast,
					  sizeof(group->mgid)))
			continue;

		if (group->state == IPOIB_MCAST_IDLE ||
		    (group->state == IPOIB_MCAST_BACKOFF &&
		     time_after_eq(jiffies, group->retry_at)))
			group_start(group);

		if (group->state == IPOIB_MCAST_BACKOFF &&
		    (!again || time_before(group->retry_at, *next))) {
			*next = group->retry_at;
			again = true;
		}
	}
	return again;
}

/* Tell one sender, if any waits, and report whether one did. */
static bool answer_one(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	struct ipoib_peer *peer = NULL;
	struct ipoib_route route;
	int bkt, err = 0;

	spin_lock_bh(&set->lock);
	hash_for_each(set->hash, bkt, group, node) {
		if (!group->answer)
			continue;

		group->answer = false;
		peer = group->peer;
		ipoib_peer_hold(peer);
		err = group->last_error;
		route = group->route;
		if (!err)
			rdma_copy_ah_attr(&route.attr, &group->route.attr);
		break;
	}
	spin_unlock_bh(&set->lock);

	if (!peer)
		return false;

	ipoib_peer_answer(peer, err, &route);
	ipoib_peer_put(peer);
	if (!err)
		rdma_destroy_ah_attr(&route.attr);
	return true;
}

/* Who has not sent to its group for longest; @senders: among how many. */
static struct ipoib_peer *idlest_sender(struct ipoib_mcast_set *set,
					unsigned int *senders)
{
	struct ipoib_peer *idlest = NULL;
	struct ipoib_mcast *group;
	int bkt;

	lockdep_assert_held(&set->lock);

	*senders = 0;
	hash_for_each(set->hash, bkt, group, node) {
		if (group->membership != IPOIB_SEND_ONLY || !group->peer)
			continue;

		++*senders;
		if (!idlest || time_before(READ_ONCE(group->peer->used),
					   READ_ONCE(idlest->used)))
			idlest = group->peer;
	}
	return idlest;
}

/*
 * Make room before somebody needs it. Removed from its table a peer forgets
 * its group, for sweep() to find; whoever sends again gets a new peer.
 */
static void evict_senders(struct ipoib_mcast_set *set)
{
	struct ipoib_peer *peer;
	unsigned int senders;
	bool again;

	do {
		spin_lock_bh(&set->lock);
		peer = idlest_sender(set, &senders);
		again = senders > IPOIB_KEEP_SEND_GROUPS;
		if (again)
			ipoib_peer_hold(peer);
		spin_unlock_bh(&set->lock);

		if (again) {
			/* Who removes it already will have the work run. */
			again = ipoib_peertable_remove(peer->table, peer);
			ipoib_peer_put(peer);
		}
		cond_resched();
	} while (again);
}

static void mcast_work(struct work_struct *work)
{
	struct ipoib_mcast_set *set =
		container_of(to_delayed_work(work), struct ipoib_mcast_set,
			     work);
	unsigned long next = 0;
	bool room, again;
	LIST_HEAD(dead);

	/* 1. What is wanted, and what is not any more. */
	evict_senders(set);
	room = sweep(set, &dead);
	if (!room && net_ratelimit())
		netdev_warn(set->dev, "more than %u groups, some are not joined\n",
			    IPOIB_MAX_MEMBER_GROUPS);

	/* 2. Before a successor attaches the QP to the same group. */
	bury_all(set, &dead);

	/* 3. What is due, and who waits. */
	spin_lock_bh(&set->lock);
	again = set->running && start_due(set, &next);
	spin_unlock_bh(&set->lock);
	while (answer_one(set))
		cond_resched();

	if (!room && (!again || time_after(next, jiffies + NO_ROOM_DELAY))) {
		next = jiffies + NO_ROOM_DELAY;
		again = true;
	}
	/* Does nothing if somebody queued the work meanwhile: it runs soon. */
	if (again)
		queue_delayed_work(set->fabric->wq, &set->work,
				   time_after(next, jiffies) ?
				   next - jiffies : 0);
}

/**
 * ipoib_mcast_link - what the broadcast group says about the link
 * @set: the set
 * @mtu: result: MTU of IP, octets
 * @qkey: result: Q_Key
 *
 * RFC 4391 section 5: its parameters are those of the whole link.
 *
 * Return: false if the group has not been joined since ipoib_mcast_start().
 * Context: Any but hard interrupt.
 */
bool ipoib_mcast_link(struct ipoib_mcast_set *set, unsigned int *mtu,
		      u32 *qkey)
{
	struct ipoib_mcast *group;
	bool joined;

	spin_lock_bh(&set->lock);
	group = set->running ? group_find(set, &set->broadcast) : NULL;
	joined = group && group->state == IPOIB_MCAST_JOINED;
	if (joined) {
		*mtu = group->route.mtu;
		*qkey = group->route.qkey;
	}
	spin_unlock_bh(&set->lock);
	return joined;
}

/**
 * ipoib_mcast_start - join the broadcast group, then all others
 * @set: stopped
 * @broadcast: MGID of the broadcast group, RFC 4391 section 5: without it
 *	the interface is not part of the link
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context; the device's lock is held.
 */
int ipoib_mcast_start(struct ipoib_mcast_set *set,
		      const union ib_gid *broadcast)
{
	struct ipoib_mcast *group;

	spin_lock_bh(&set->lock);
	set->broadcast = *broadcast;
	set->ready = false;
	group = group_add(set, broadcast, IPOIB_FULL_MEMBER);
	set->running = group;
	spin_unlock_bh(&set->lock);
	if (!group)
		return -ENOMEM;

	ipoib_mcast_sync(set);
	return 0;
}

/**
 * ipoib_mcast_stop - leave all groups
 * @set: started or stopped
 *
 * Does not wait for the fabric: memberships end in their own time.
 *
 * Context: Process context, may sleep; the device's lock is held, RTNL may be.
 */
void ipoib_mcast_stop(struct ipoib_mcast_set *set)
{
	struct ipoib_mcast *group;
	struct hlist_node *tmp;
	LIST_HEAD(dead);
	int bkt;

	/* 1. Nobody finds a group any more, nobody adds one. */
	spin_lock_bh(&set->lock);
	set->running = false;
	set->ready = false;
	hash_for_each_safe(set->hash, bkt, tmp, group, node)
		group_kill(group, &dead);
	spin_unlock_bh(&set->lock);

	/* 2. The work takes neither RTNL nor the device's lock. */
	cancel_delayed_work_sync(&set->work);

	/* 3. Answers under way find dead groups. */
	bury_all(set, &dead);
}

/**
 * ipoib_mcast_exit - the end of a set
 * @set: stopped; the interface has no other users any more
 *
 * A late answer or change of the multicast list may have queued the work.
 *
 * Context: Process context, may sleep.
 */
void ipoib_mcast_exit(struct ipoib_mcast_set *set)
{
	cancel_delayed_work_sync(&set->work);
}

/**
 * ipoib_mcast_ask - a peer wants to send to a group
 * @set: the set
 * @peer: peer whose address is that of a group, referenced
 *
 * The answer goes to ipoib_peer_answer(), now or whenever the group is joined
 * anew, until ipoib_mcast_forget().
 *
 * Return: 0; -ENETDOWN while stopped, -EADDRNOTAVAIL for a group of another
 * link, -ENOMEM.
 * Context: Any but hard interrupt; the peer's lock is held.
 */
int ipoib_mcast_ask(struct ipoib_mcast_set *set, struct ipoib_peer *peer)
{
	struct ipoib_peer *old = NULL;
	struct ipoib_mcast *group;
	union ib_gid mgid;
	int err = 0;

	lockdep_assert_held(&peer->lock);

	ipoib_hwaddr_gid(&peer->addr, &mgid);
	spin_lock_bh(&set->lock);
	if (!set->running) {
		err = -ENETDOWN;
		goto out_unlock;
	}
	if (!ipoib_mgid_on_link(&mgid, &set->broadcast)) {
		err = -EADDRNOTAVAIL;
		goto out_unlock;
	}

	group = group_find(set, &mgid);
	if (!group)
		group = group_add(set, &mgid, IPOIB_SEND_ONLY);
	if (!group) {
		err = -ENOMEM;
		goto out_unlock;
	}

	if (group->peer != peer) {
		old = group->peer;
		group->peer = peer;
		ipoib_peer_hold(peer);
	}
	group->answer = group->state == IPOIB_MCAST_JOINED ||
			group->state == IPOIB_MCAST_BACKOFF;
out_unlock:
	spin_unlock_bh(&set->lock);
	if (old)
		ipoib_peer_put(old);
	if (!err)
		ipoib_mcast_sync(set);
	return err;
}

/**
 * ipoib_mcast_forget - a peer no longer sends to a group
 * @set: the set
 * @peer: peer that asked before
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_forget(struct ipoib_mcast_set *set, struct ipoib_peer *peer)
{
	struct ipoib_mcast *group;
	union ib_gid mgid;
	bool found;

	ipoib_hwaddr_gid(&peer->addr, &mgid);
	spin_lock_bh(&set->lock);
	group = group_find(set, &mgid);
	found = group && group->peer == peer;
	if (found) {
		group->peer = NULL;
		group->answer = false;
	}
	spin_unlock_bh(&set->lock);

	if (found) {
		ipoib_peer_put(peer);
		ipoib_mcast_sync(set);
	}
}

/**
 * ipoib_mcast_walk - look at every group
 * @set: the set
 * @fn: called for each, with the set's lock held
 * @ctx: given to @fn
 *
 * Context: Any but hard interrupt.
 */
void ipoib_mcast_walk(struct ipoib_mcast_set *set,
		      void (*fn)(void *ctx, const struct ipoib_mcast *group),
		      void *ctx)
{
	struct ipoib_mcast *group;
	int bkt;

	spin_lock_bh(&set->lock);
	hash_for_each(set->hash, bkt, group, node)
		fn(ctx, group);
	spin_unlock_bh(&set->lock);
}
