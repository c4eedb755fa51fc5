// SPDX-License-Identifier: GPL-2.0
#include "peer.h"

#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "addr.h"
#include "backoff.h"
#include "bundle.h"
#include "charge.h"
#include "device.h"
#include "mcast_set.h"
#include "trace.h"
#include "xmit.h"

/* Most octets that may be staged for one path, and for all paths of an interface. */
#define STAGED_MAX_PEER		(128 * 1024)
#define STAGED_MAX_TABLE	(4 * 1024 * 1024)

/* How often peertable_gc_work() runs, and how long a peer has to be unused to be idle. */
#define GC_PERIOD	(30 * HZ)
#define IDLE_AGE	(120 * HZ)

/* peertable_gc_work() asks again for a path that is about this old. */
#define REFRESH_AGE	(300 * HZ)

/* Peers that gc_batch() handles at a time, which bounds the time with bottom halves off. */
#define GC_BATCH	64

/* Number of peers from which evict() chooses one when the table is full. */
#define EVICT_SAMPLE	32

static const struct ipoib_backoff retry_delay = {
	.min_ms = 1000,
	.max_ms = 5000,
};

static bool peer_step(struct ipoib_peer *peer, enum ipoib_peer_event event)
{
	const struct ipoib_fsm_edge *edge;

	lockdep_assert_held(&peer->lock);

	edge = ipoib_fsm_step(&ipoib_peer_fsm, peer->state, event);
	if (!edge)
		return false;

	trace_ipoib_peer_state(ipoib_peertable_dev(peer->table)->dev->name,
			       (u8 *)peer->addr.gid,
			       ipoib_fsm_name(&ipoib_peer_fsm, peer->state),
			       ipoib_fsm_name(&ipoib_peer_fsm, edge->next));
	peer->state = edge->next;
	return true;
}

/* Make a peer that is not in @table yet. Its only reference belongs to the caller. */
static struct ipoib_peer *peer_new(struct ipoib_peertable *table,
				   const struct ipoib_hwaddr *addr)
{
	struct ipoib_peer *peer;

	peer = kzalloc(sizeof(*peer), GFP_ATOMIC | __GFP_NOWARN);
	if (!peer)
		return NULL;

	peer->addr = *addr;
	peer->qpn = ipoib_hwaddr_qpn(addr);
	peer->bundle = ipoib_bundle_of(addr, ipoib_peertable_dev(table)->dev->num_tx_queues);
	peer->used = jiffies;
	peer->conn_look_at = jiffies;
	peer->conn_retry_at = jiffies;
	peer->table = table;
	peer->paths = READ_ONCE(table->paths);
	refcount_set(&peer->refs, 1);
	INIT_LIST_HEAD(&peer->order);
	spin_lock_init(&peer->lock);
	peer->state = IPOIB_PEER_NEW;
	__skb_queue_head_init(&peer->staged);
	ipoib_usecnt_get(&ipoib_peertable_dev(table)->users);
	ipoib_object_created(IPOIB_OBJ_PEER);
	return peer;
}

/**
 * ipoib_peer_hold - take a reference
 * @peer: peer that the caller has a reference to, or that a lock of the caller keeps alive
 *
 * Context: Any.
 */
void ipoib_peer_hold(struct ipoib_peer *peer)
{
	refcount_inc(&peer->refs);
}

/**
 * ipoib_peer_put - give a reference back
 * @peer: the peer; the last reference may only be put after peer_kill(), or if the peer
 *	was never inserted into its table
 *
 * Context: Any but hard interrupt.
 */
void ipoib_peer_put(struct ipoib_peer *peer)
{
	struct ipoib_usecnt *users = &ipoib_peertable_dev(peer->table)->users;

	if (!refcount_dec_and_test(&peer->refs))
		return;

	kfree_rcu(peer, rcu);
	ipoib_object_destroyed(IPOIB_OBJ_PEER);
	ipoib_usecnt_put(users);
}

static void path_done(void *ctx, int err, const struct ipoib_route *route)
{
	ipoib_peer_answer(ctx, err, route);
}

static void path_release(void *ctx)
{
	ipoib_peer_put(ctx);
}

static int ask_path(struct ipoib_peer *peer)
{
	const struct ipoib_request_owner owner = {
		.ctx		= peer,
		.done		= path_done,
		.release	= path_release,
	};
	struct ipoib_fabric *fabric = &ipoib_peertable_dev(peer->table)->fabric;
	struct ipoib_request *req;
	union ib_gid gid;

	ipoib_hwaddr_gid(&peer->addr, &gid);
	ipoib_peer_hold(peer);
	req = fabric->ops->path(fabric, &gid, &owner);
	if (IS_ERR(req)) {
		/*
		 * This cannot be the last reference: the table still has its own, because
		 * peer_kill() takes the lock that we hold before it puts that.
		 */
		ipoib_peer_put(peer);
		return PTR_ERR(req);
	}

	peer->req = req;
	return 0;
}

static void peer_failed(struct ipoib_peer *peer, enum ipoib_peer_event event)
{
	u32 ms;

	lockdep_assert_held(&peer->lock);

	peer->failures++;
	ms = ipoib_backoff_ms(&retry_delay, peer->failures, get_random_u32());
	peer->retry_at = jiffies + msecs_to_jiffies(ms);
	peer->answered_at = jiffies;
	peer_step(peer, event);
}

/*
 * Ask for the path. The answer cannot come before @req is stored, because answer_adopt() runs
 * in another context and waits for the lock of the peer.
 */
static void peer_ask(struct ipoib_peer *peer)
{
	int err;

	lockdep_assert_held(&peer->lock);

	if (!peer_step(peer, IPOIB_PEER_EV_ASK))
		return;

	/*
	 * Note the epoch before asking. If ipoib_peertable_doubt() runs before the answer
	 * comes, that answer may be outdated, and the peer must be seen as in doubt.
	 */
	WRITE_ONCE(peer->paths, READ_ONCE(peer->table->paths));
	if (ipoib_hwaddr_is_mcast(&peer->addr)) {
		err = ipoib_mcast_set_ask(&ipoib_peertable_dev(peer->table)->mcast, peer);
		peer->asked_mcast = !err;
	} else {
		err = ask_path(peer);
	}
	if (err)
		peer_failed(peer, IPOIB_PEER_EV_FAIL);
}

/* A group that nobody has joined has no path, but a packet to it is no loss. */
static enum ipoib_drop_reason no_path_reason(const struct ipoib_peer *peer)
{
	return READ_ONCE(peer->no_member) ? IPOIB_DROP_TX_NO_MEMBER : IPOIB_DROP_TX_NO_PATH;
}

static bool stage_one(struct ipoib_peer *peer, struct sk_buff *skb)
{
	atomic_t *total = &peer->table->staged_bytes;
	unsigned int all = STAGED_MAX_TABLE;

	lockdep_assert_held(&peer->lock);

	/* Packets to thousands of groups, which any program can send, leave room for others. */
	if (ipoib_hwaddr_is_mcast(&peer->addr))
		all /= 2;
	if (peer->staged_bytes + skb->truesize > STAGED_MAX_PEER ||
	    atomic_read(total) + skb->truesize > all)
		return false;

	ipoib_uncharge_waiting(skb);
	peer->staged_bytes += skb->truesize;
	atomic_add(skb->truesize, total);
	__skb_queue_tail(&peer->staged, skb);
	return true;
}

static void unstage_all(struct ipoib_peer *peer, struct sk_buff_head *out)
{
	lockdep_assert_held(&peer->lock);

	__skb_queue_head_init(out);
	skb_queue_splice_init(&peer->staged, out);
	atomic_sub(peer->staged_bytes, &peer->table->staged_bytes);
	peer->staged_bytes = 0;
}

/**
 * ipoib_peer_stage - hold a packet back until its peer has a path
 * @peer: the peer, which had no path a moment ago; under RCU or referenced
 * @skb: packet, link-layer header on
 *
 * Asks for a path if no request is open and no back-off forbids it. Never sleeps.
 *
 * Return: true if @skb was consumed, staged or dropped; false if the peer has got a
 * path meanwhile and the caller can send.
 * Context: Any but hard interrupt.
 */
bool ipoib_peer_stage(struct ipoib_peer *peer, struct sk_buff *skb)
{
	enum ipoib_drop_reason reason;
	bool ready = false;
	bool staged = false;

	spin_lock_bh(&peer->lock);
	reason = no_path_reason(peer);
	if (peer->state == IPOIB_PEER_NEW ||
	    (peer->state == IPOIB_PEER_FAILED &&
	     (time_after_eq(jiffies, peer->retry_at) ||
	      ipoib_peer_in_doubt(peer))))
		peer_ask(peer);

	switch (peer->state) {
	case IPOIB_PEER_RESOLVING:
		staged = stage_one(peer, skb);
		reason = IPOIB_DROP_TX_QUEUE_FULL;
		break;
	case IPOIB_PEER_READY:
	case IPOIB_PEER_REFRESHING:
		ready = true;
		break;
	default:
		break;
	}
	spin_unlock_bh(&peer->lock);

	if (!staged && !ready)
		ipoib_drop_skb(&ipoib_peertable_dev(peer->table)->drops, reason, skb);
	return !ready;
}

static void drop_all(struct ipoib_dev *idev, struct sk_buff_head *list,
		     enum ipoib_drop_reason reason)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(list)))
		ipoib_drop_skb(&idev->drops, reason, skb);
}

/**
 * struct answer - arguments and results of answer_locked()
 * @peer: the peer
 * @ah: address handle of the new path, NULL if there is none; answer_adopt() clears it unless
 *	the peer was dead
 * @lost: a group has no path, and its old one may lead to another group by now
 * @opening: the path is that of a group which switches may not know yet
 * @old: result: address handle that was replaced
 * @req: result: request that has been answered
 * @staged: result: staged packets that found no path or no room on the ring, or copies of those
 *	that were sent, for the broadcast group
 * @reachable: result: the peer has a path, new or old
 */
struct answer {
	struct ipoib_peer *peer;
	struct ipoib_ah *ah;
	bool lost;
	bool opening;
	struct ipoib_ah *old;
	struct ipoib_request *req;
	struct sk_buff_head staged;
	bool reachable;
};

static struct ipoib_ah *answer_adopt(struct answer *answer)
{
	struct ipoib_peer *peer = answer->peer;
	struct ipoib_ah *ah;

	spin_lock(&peer->lock);
	answer->req = peer->req;
	peer->req = NULL;
	if (answer->ah && peer_step(peer, IPOIB_PEER_EV_OK)) {
		answer->old = rcu_replace_pointer(peer->ah, answer->ah,
						  lockdep_is_held(&peer->lock));
		answer->ah = NULL;
		peer->failures = 0;
		peer->answered_at = jiffies;
	} else if (answer->lost) {
		answer->old = rcu_replace_pointer(peer->ah, NULL,
						  lockdep_is_held(&peer->lock));
		peer_failed(peer, IPOIB_PEER_EV_LOST);
	} else if (!answer->ah) {
		peer_failed(peer, IPOIB_PEER_EV_FAIL);
	}
	ah = rcu_dereference_protected(peer->ah, lockdep_is_held(&peer->lock));
	unstage_all(peer, &answer->staged);
	spin_unlock(&peer->lock);
	return ah;
}

/*
 * Publish the path and send the staged packets. The TX lock of the first channel is held, so they
 * go out before the first packet that finds the path by itself there; one on another channel may
 * overtake them. Bottom halves are off, so the address handle stays valid until the flush even if
 * peer_kill() retires it now.
 *
 * By a group that switches do not know yet, questions for neighbours are lost, which IPv6 repeats
 * after a second only. So the broadcast group carries them, too: it does not lose them.
 */
static void answer_locked(struct ipoib_dev *idev, struct answer *answer)
{
	struct ipoib_peer *peer = answer->peer;
	struct ipoib_ah *ah = answer_adopt(answer);
	struct sk_buff *skb, *copy;
	struct sk_buff_head copies;

	answer->reachable = ah;
	if (!ah)
		return;

	__skb_queue_head_init(&copies);
	while ((skb = __skb_dequeue(&answer->staged))) {
		copy = answer->opening ? ipoib_xmit_for_all(idev, skb) : NULL;
		if (copy)
			__skb_queue_tail(&copies, copy);
		if (ipoib_xmit_staged(idev, skb, ah, peer->qpn))
			continue;
		__skb_queue_head(&answer->staged, skb);
		break;
	}
	skb_queue_splice_tail(&copies, &answer->staged);
}

/**
 * ipoib_peer_answer - take the fabric's answer to a request for a path
 * @peer: the peer; may be dead by now
 * @err: 0, or a negative error if there is no path
 * @route: the path, if @err is 0
 *
 * Context: Process context, may sleep; no lock of the driver is held.
 */
void ipoib_peer_answer(struct ipoib_peer *peer, int err,
		       const struct ipoib_route *route)
{
	struct ipoib_dev *idev = ipoib_peertable_dev(peer->table);
	struct answer answer = {
		.peer	= peer,
		.lost	= err && ipoib_hwaddr_is_mcast(&peer->addr),
		.opening = !err && route->opening,
	};
	struct sk_buff *skb;

	if (!err) {
		struct rdma_ah_attr attr = route->attr;
		/* Packets of a block device may be staged: no page may wait for those. */
		unsigned int noio = memalloc_noio_save();

		answer.ah = ipoib_ah_new(idev->qp.pd, &attr);
		memalloc_noio_restore(noio);
		if (IS_ERR(answer.ah))
			answer.ah = NULL;
		else
			answer.ah->mtu = route->mtu;
		/* The old path may lead to another group by now. */
		answer.lost = !answer.ah && ipoib_hwaddr_is_mcast(&peer->addr);
	}

	WRITE_ONCE(peer->no_member, err == -ENOENT && ipoib_hwaddr_is_mcast(&peer->addr));
	ipoib_xmit_lock(idev);
	answer_locked(idev, &answer);
	ipoib_xmit_unlock(idev);

	if (answer.req)
		ipoib_request_end(answer.req);
	if (answer.old)
		ipoib_ah_retire(&idev->ah_bin, answer.old);
	ipoib_ah_free(answer.ah);
	if (!answer.reachable)
		drop_all(idev, &answer.staged, no_path_reason(peer));
	while ((skb = __skb_dequeue(&answer.staged)))
		dev_queue_xmit(skb);
	if (!err && route->path)
		ipoib_dev_conns_follow(idev, &peer->addr, route->path);
}

/*
 * A path is refreshed when it is @age jiffies old, or when the back-off is over if the last
 * attempt to refresh it has failed.
 */
static bool refresh_due(const struct ipoib_peer *peer, unsigned long age)
{
	unsigned long due = peer->answered_at + age;

	lockdep_assert_held(&peer->lock);

	if (peer->state == IPOIB_PEER_READY && peer->failures &&
	    time_before(peer->retry_at, due))
		due = peer->retry_at;
	return time_after_eq(jiffies, due);
}

/*
 * Make the peer differ from the table's epoch, so that its next use asks for the path again.
 * The answer to an open request does not change that, since it may be older than the event
 * that raised the doubt.
 */
static void doubt(struct ipoib_peer *peer)
{
	lockdep_assert_held(&peer->lock);

	WRITE_ONCE(peer->paths, READ_ONCE(peer->table->paths) - 1);
}

/**
 * ipoib_peer_refresh - ask again for a path that may have changed
 * @peer: the peer, referenced or under RCU
 * @age: nothing is done if the last answer is younger than this, jiffies
 *
 * The old path stays in use until there is a new one. For a peer without a path the back-off
 * ends, so that its next packet asks. A group is left alone.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_peer_refresh(struct ipoib_peer *peer, unsigned long age)
{
	spin_lock_bh(&peer->lock);
	if (!ipoib_hwaddr_is_mcast(&peer->addr) && refresh_due(peer, age)) {
		if (peer->state == IPOIB_PEER_READY)
			peer_ask(peer);
		else if (peer->state == IPOIB_PEER_FAILED)
			peer->retry_at = jiffies;
		else
			doubt(peer);
	}
	spin_unlock_bh(&peer->lock);
}

/**
 * ipoib_peer_ask_anew - ask again for a path in doubt that is being used
 * @peer: the peer; under RCU or referenced
 *
 * The old path stays in use until there is a new one. For a group nothing is asked: the
 * mcast_set that joined it calls ipoib_peer_answer() when the group changes.
 *
 * Context: Any but hard interrupt.
 */
void ipoib_peer_ask_anew(struct ipoib_peer *peer)
{
	spin_lock_bh(&peer->lock);
	if (ipoib_hwaddr_is_mcast(&peer->addr))
		WRITE_ONCE(peer->paths, READ_ONCE(peer->table->paths));
	else if (peer->state == IPOIB_PEER_READY && ipoib_peer_in_doubt(peer))
		peer_ask(peer);
	spin_unlock_bh(&peer->lock);
}

/* Dispose of a peer that has been taken out of its table, whose reference is consumed. */
static void peer_kill(struct ipoib_peer *peer)
{
	struct ipoib_dev *idev = ipoib_peertable_dev(peer->table);
	struct ipoib_request *req;
	struct sk_buff_head staged;
	struct ipoib_ah *ah;
	bool asked_mcast;

	/* 1. Contexts that found the peer earlier see that it is dead. */
	spin_lock_bh(&peer->lock);
	peer_step(peer, IPOIB_PEER_EV_REMOVE);
	ah = rcu_replace_pointer(peer->ah, NULL, lockdep_is_held(&peer->lock));
	req = peer->req;
	peer->req = NULL;
	asked_mcast = peer->asked_mcast;
	peer->asked_mcast = false;
	unstage_all(peer, &staged);
	spin_unlock_bh(&peer->lock);

	/* 2. End open requests. A late answer finds the peer dead. */
	if (req)
		ipoib_request_end(req);
	if (asked_mcast)
		ipoib_mcast_set_forget(&idev->mcast, peer);

	/* 3. Drop the packets; free the address handle once no send uses it. */
	drop_all(idev, &staged, IPOIB_DROP_TX_NO_PATH);
	if (ah)
		ipoib_ah_retire(&idev->ah_bin, ah);

	/* 4. Put the table's reference. */
	ipoib_peer_put(peer);
}

static void peertable_gc_work(struct work_struct *work);

/**
 * ipoib_peertable_init - make an empty table, closed
 * @table: part of an interface; zeroed
 *
 * Return: 0 or -ENOMEM.
 * Context: Process context, may sleep.
 */
int ipoib_peertable_init(struct ipoib_peertable *table)
{
	atomic_set(&table->staged_bytes, 0);
	INIT_DELAYED_WORK(&table->gc, peertable_gc_work);
	spin_lock_init(&table->lock);
	table->open = false;
	table->count = 0;
	INIT_LIST_HEAD(&table->order);
	hash_init(table->by_gid);
	return rhashtable_init(&table->hash, &ipoib_peer_params);
}

/**
 * ipoib_peertable_exit - free a table
 * @table: closed
 *
 * Context: Process context, may sleep.
 */
void ipoib_peertable_exit(struct ipoib_peertable *table)
{
	rhashtable_destroy(&table->hash);
}

/**
 * ipoib_peertable_open - let peers be added
 * @table: closed
 *
 * Context: Process context; the device's lock is held.
 */
void ipoib_peertable_open(struct ipoib_peertable *table)
{
	spin_lock_bh(&table->lock);
	table->open = true;
	spin_unlock_bh(&table->lock);
	queue_delayed_work(ipoib_peertable_dev(table)->fabric.wq, &table->gc, GC_PERIOD);
}

/**
 * ipoib_peertable_close - remove all peers and let none be added
 * @table: open or closed
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_peertable_close(struct ipoib_peertable *table)
{
	/* 1. Let no peer be added. */
	spin_lock_bh(&table->lock);
	table->open = false;
	spin_unlock_bh(&table->lock);

	/* 2. peertable_gc_work() is over and does not run again. */
	cancel_delayed_work_sync(&table->gc);

	/* 3. Remove the peers. */
	ipoib_peertable_flush(table);
}

static void unlink_peer(struct ipoib_peertable *table, struct ipoib_peer *peer)
{
	lockdep_assert_held(&table->lock);

	rhashtable_remove_fast(&table->hash, &peer->node, ipoib_peer_params);
	list_del_init(&peer->order);
	hash_del_rcu(&peer->by_gid);
	WRITE_ONCE(table->count, table->count - 1);
}

/**
 * ipoib_peertable_flush - remove all peers
 * @table: the table; while it is open, packets make new peers
 *
 * Context: Process context, may sleep.
 */
void ipoib_peertable_flush(struct ipoib_peertable *table)
{
	struct ipoib_peer *peer;

	do {
		spin_lock_bh(&table->lock);
		peer = list_first_entry_or_null(&table->order,
						struct ipoib_peer, order);
		if (peer)
			unlink_peer(table, peer);
		spin_unlock_bh(&table->lock);

		if (peer)
			peer_kill(peer);
		cond_resched();
	} while (peer);
}

/*
 * goes_before() returns true if @a should be evicted rather than @b: a peer without a path before
 * one with a path, otherwise the one that has been unused for longer.
 */
static bool goes_before(struct ipoib_peer *a, struct ipoib_peer *b)
{
	bool a_path = rcu_access_pointer(a->ah);
	bool b_path = rcu_access_pointer(b->ah);

	if (a_path != b_path)
		return b_path;
	return time_before(READ_ONCE(a->used), READ_ONCE(b->used));
}

/*
 * Unlink one of the first EVICT_SAMPLE peers of the list. The others move to the end of the list,
 * so that the next call looks at different ones.
 */
static struct ipoib_peer *evict(struct ipoib_peertable *table)
{
	struct ipoib_peer *victim = NULL;
	struct ipoib_peer *peer;
	int i;

	lockdep_assert_held(&table->lock);

	for (i = 0; i < EVICT_SAMPLE && i < table->count; i++) {
		peer = list_first_entry(&table->order, struct ipoib_peer,
					order);
		list_move_tail(&peer->order, &table->order);
		if (!victim || goes_before(peer, victim))
			victim = peer;
	}
	if (victim)
		unlink_peer(table, victim);
	return victim;
}

/**
 * ipoib_peertable_get - find a peer or make it
 * @table: the table
 * @addr: link-layer address of the peer
 *
 * Return: the peer, without a reference; NULL if @addr is neither a group nor a valid
 * unicast address, the table is closed, or memory is short.
 * Context: Under RCU, any but hard interrupt.
 */
struct ipoib_peer *ipoib_peertable_get(struct ipoib_peertable *table,
				       const struct ipoib_hwaddr *addr)
{
	struct ipoib_peer *victim = NULL;
	struct ipoib_peer *peer;

	if (!ipoib_hwaddr_is_group(addr) && !ipoib_hwaddr_is_unicast(addr))
		return NULL;

	spin_lock_bh(&table->lock);
	peer = ipoib_peertable_find(table, addr);
	if (peer || !table->open)
		goto out_unlock;

	peer = peer_new(table, addr);
	if (!peer)
		goto out_unlock;

	if (table->count >= IPOIB_MAX_PEERS)
		victim = evict(table);

	if (rhashtable_insert_fast(&table->hash, &peer->node,
				   ipoib_peer_params)) {
		ipoib_peer_put(peer);
		peer = NULL;
		goto out_unlock;
	}
	list_add_tail(&peer->order, &table->order);
	hash_add_rcu(table->by_gid, &peer->by_gid,
		     ipoib_gid_hash(peer->addr.gid));
	WRITE_ONCE(table->count, table->count + 1);

out_unlock:
	spin_unlock_bh(&table->lock);
	if (victim)
		peer_kill(victim);
	return peer;
}

/**
 * ipoib_peertable_remove - remove one peer
 * @table: the table
 * @peer: a peer of the table that the caller has a reference to
 *
 * The next packet to the address makes a new peer.
 *
 * Return: false if another context has removed the peer already.
 * Context: Any but hard interrupt; no lock of the driver is held.
 */
bool ipoib_peertable_remove(struct ipoib_peertable *table,
			    struct ipoib_peer *peer)
{
	bool linked;

	spin_lock_bh(&table->lock);
	linked = !list_empty(&peer->order);
	if (linked)
		unlink_peer(table, peer);
	spin_unlock_bh(&table->lock);

	if (linked)
		peer_kill(peer);
	return linked;
}

/**
 * ipoib_peertable_forget - remove the peer with an address, if there is one
 * @table: the table
 * @addr: any link-layer address
 *
 * Context: Any but hard interrupt; no lock of the driver is held but the device's.
 */
void ipoib_peertable_forget(struct ipoib_peertable *table,
			    const struct ipoib_hwaddr *addr)
{
	struct ipoib_peer *peer;

	rcu_read_lock();
	peer = ipoib_peertable_find(table, addr);
	if (peer && !ipoib_peer_tryhold(peer))
		peer = NULL;
	rcu_read_unlock();

	if (peer) {
		ipoib_peertable_remove(table, peer);
		ipoib_peer_put(peer);
	}
}

static void gc_one(struct ipoib_peer *peer, bool idle)
{
	if (idle) {
		peer_kill(peer);
		return;
	}
	ipoib_peer_refresh(peer, ipoib_backoff_spread(REFRESH_AGE,
						      get_random_u32()));
	ipoib_peer_put(peer);
}

/**
 * ipoib_peertable_doubt - mark paths as possibly wrong
 * @table: the table
 * @gid: mark only paths to this port; NULL for all paths
 *
 * An old path stays in use until its next packet has asked for a new one and got it. Asking
 * for all paths at once would overload the subnet administrator: every node of the
 * subnet asks at such times, and a new subnet manager reports every port.
 *
 * Context: Process context; calls with @gid NULL must not overlap.
 */
void ipoib_peertable_doubt(struct ipoib_peertable *table,
			   const union ib_gid *gid)
{
	struct ipoib_peer *peer;

	if (!gid) {
		WRITE_ONCE(table->paths, table->paths + 1);
		return;
	}

	rcu_read_lock();
	hash_for_each_possible_rcu(table->by_gid, peer, by_gid, ipoib_gid_hash(gid)) {
		if (memcmp(peer->addr.gid, gid->raw, sizeof(*gid)))
			continue;
		spin_lock_bh(&peer->lock);
		doubt(peer);
		spin_unlock_bh(&peer->lock);
	}
	rcu_read_unlock();
}

static void gc_batch(struct ipoib_peertable *table, unsigned int n)
{
	struct ipoib_peer *peers[GC_BATCH];
	bool idle[GC_BATCH];
	unsigned int got;

	spin_lock_bh(&table->lock);
	n = min(n, table->count);
	for (got = 0; got < n; got++) {
		struct ipoib_peer *peer;

		peer = list_first_entry(&table->order, struct ipoib_peer,
					order);
		peers[got] = peer;
		idle[got] = time_after(jiffies,
				       READ_ONCE(peer->used) + IDLE_AGE);
		if (idle[got]) {
			unlink_peer(table, peer);
		} else {
			list_move_tail(&peer->order, &table->order);
			ipoib_peer_hold(peer);
		}
	}
	spin_unlock_bh(&table->lock);

	while (got--)
		gc_one(peers[got], idle[got]);
}

static void peertable_gc_work(struct work_struct *work)
{
	struct ipoib_peertable *table =
		container_of(to_delayed_work(work), struct ipoib_peertable, gc);
	unsigned int left = READ_ONCE(table->count);

	while (left) {
		unsigned int n = min_t(unsigned int, left, GC_BATCH);

		gc_batch(table, n);
		left -= n;
		cond_resched();
	}
	queue_delayed_work(ipoib_peertable_dev(table)->fabric.wq, &table->gc, GC_PERIOD);
}

/**
 * ipoib_peertable_walk - call a function for every peer
 * @table: the table
 * @fn: called for each peer under RCU, with the lock of the peer held
 * @ctx: first argument of @fn
 *
 * Peers that come or go meanwhile may be missed or seen twice.
 *
 * Context: Process context, may sleep.
 */
void ipoib_peertable_walk(struct ipoib_peertable *table,
			  void (*fn)(void *ctx, const struct ipoib_peer *peer),
			  void *ctx)
{
	struct rhashtable_iter iter;
	struct ipoib_peer *peer;

	rhashtable_walk_enter(&table->hash, &iter);
	rhashtable_walk_start(&iter);
	while ((peer = rhashtable_walk_next(&iter))) {
		/* -EAGAIN: the hash is being resized. The walk goes on and may repeat peers. */
		if (IS_ERR(peer))
			continue;

		spin_lock_bh(&peer->lock);
		fn(ctx, peer);
		spin_unlock_bh(&peer->lock);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}
