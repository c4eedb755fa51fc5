// SPDX-License-Identifier: GPL-2.0
#include "peertable.h"

#include <linux/slab.h>

#include "backoff.h"
#include "device.h"

/* How often gc_work() runs, and how long a peer has to be unused to be idle. */
#define GC_PERIOD	(30 * HZ)
#define IDLE_AGE	(120 * HZ)

/* gc_work() asks again for a path that is about this old. */
#define REFRESH_AGE	(300 * HZ)

/* Peers that gc_batch() handles at a time, which bounds the time with bottom halves off. */
#define GC_BATCH	64

/* Number of peers from which evict() chooses one when the table is full. */
#define EVICT_SAMPLE	32

static void gc_work(struct work_struct *work);

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
	INIT_DELAYED_WORK(&table->gc, gc_work);
	spin_lock_init(&table->lock);
	table->open = false;
	table->count = 0;
	INIT_LIST_HEAD(&table->order);
	hash_init(table->by_gid);
	table->gid_seed = get_random_u32();
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

	/* 2. gc_work() is over and does not run again. */
	cancel_delayed_work_sync(&table->gc);

	/* 3. Remove the peers. */
	ipoib_peertable_flush(table);
}

static u32 gid_hash(const struct ipoib_peertable *table, const void *gid)
{
	return jhash(gid, sizeof(union ib_gid), table->gid_seed);
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
			ipoib_peer_kill(peer);
		cond_resched();
	} while (peer);
}

/*
 * Returns true if @a should be evicted rather than @b: a peer without a path before one with a
 * path, otherwise the one that has been unused for longer.
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

	if (table->count >= IPOIB_MAX_PEERS)
		victim = evict(table);

	peer = ipoib_peer_new(table, addr);
	if (!peer)
		goto out_unlock;

	if (rhashtable_insert_fast(&table->hash, &peer->node,
				   ipoib_peer_params)) {
		ipoib_peer_put(peer);
		peer = NULL;
		goto out_unlock;
	}
	list_add_tail(&peer->order, &table->order);
	hash_add_rcu(table->by_gid, &peer->by_gid,
		     gid_hash(table, peer->addr.gid));
	WRITE_ONCE(table->count, table->count + 1);

out_unlock:
	spin_unlock_bh(&table->lock);
	if (victim)
		ipoib_peer_kill(victim);
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
		ipoib_peer_kill(peer);
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

static void gc_one(struct ipoib_peertable *table, struct ipoib_peer *peer,
		   bool idle)
{
	if (idle) {
		ipoib_peer_kill(peer);
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
	hash_for_each_possible_rcu(table->by_gid, peer, by_gid,
				   gid_hash(table, gid))
		if (!memcmp(peer->addr.gid, gid->raw, sizeof(*gid)))
			ipoib_peer_doubt(peer);
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
		gc_one(table, peers[got], idle[got]);
}

static void gc_work(struct work_struct *work)
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
