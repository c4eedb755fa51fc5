// SPDX-License-Identifier: GPL-2.0
#include "peertable.h"

#include <linux/slab.h>

/* How often the table is looked through, and what is idle. */
#define GC_PERIOD	(30 * HZ)
#define IDLE_AGE	(120 * HZ)

/* A path in use is asked for again when it is this old. */
#define REFRESH_AGE	(300 * HZ)

/* Peers looked at in one go: bounds the time with bottom halves off. */
#define GC_BATCH	64

/* Peers looked at without a pause on a walk through all of them. */
#define WALK_BATCH	256

/* Peers among which one has to go when the table is full. */
#define EVICT_SAMPLE	32

static void gc_work(struct work_struct *work);

/**
 * ipoib_peertable_init - make an empty table, closed
 * @table: @dev, @fabric, @mcast, @qp, @drops, @users, @ops and @ctx are set
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
 * ipoib_peertable_open - from now on peers may be added
 * @table: closed
 *
 * Context: Process context; the device's lock is held.
 */
void ipoib_peertable_open(struct ipoib_peertable *table)
{
	spin_lock_bh(&table->lock);
	table->open = true;
	spin_unlock_bh(&table->lock);
	queue_delayed_work(table->fabric->wq, &table->gc, GC_PERIOD);
}

/**
 * ipoib_peertable_close - remove all peers and take no more
 * @table: open or closed
 *
 * Context: Process context, may sleep; the device's lock is held.
 */
void ipoib_peertable_close(struct ipoib_peertable *table)
{
	/* 1. No new peers. */
	spin_lock_bh(&table->lock);
	table->open = false;
	spin_unlock_bh(&table->lock);

	/* 2. Nobody who looks through the table. */
	cancel_delayed_work_sync(&table->gc);

	/* 3. The peers. */
	ipoib_peertable_flush(table);
}

static void unlink_peer(struct ipoib_peertable *table, struct ipoib_peer *peer)
{
	lockdep_assert_held(&table->lock);

	rhashtable_remove_fast(&table->hash, &peer->node, ipoib_peer_params);
	list_del_init(&peer->order);
	WRITE_ONCE(table->count, table->count - 1);
}

/**
 * ipoib_peertable_flush - forget all peers; packets make new ones
 * @table: the table
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

/* Whether @a should go rather than @b: one without a path, the idler one. */
static bool goes_before(struct ipoib_peer *a, struct ipoib_peer *b)
{
	bool a_path = rcu_access_pointer(a->ah);
	bool b_path = rcu_access_pointer(b->ah);

	if (a_path != b_path)
		return b_path;
	return time_before(READ_ONCE(a->used), READ_ONCE(b->used));
}

/* One of the oldest few; the others get a second chance. */
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
 * @addr: its link-layer address
 *
 * Return: the peer, no reference taken; NULL if @addr can be nobody's, the
 * table is closed or memory is short.
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
	WRITE_ONCE(table->count, table->count + 1);

out_unlock:
	spin_unlock_bh(&table->lock);
	if (victim)
		ipoib_peer_kill(victim);
	return peer;
}

/**
 * ipoib_peertable_remove - forget one peer; a packet to it makes a new one
 * @table: the table
 * @peer: referenced peer of the table
 *
 * Return: false if it is being removed already.
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

static void gc_one(struct ipoib_peertable *table, struct ipoib_peer *peer,
		   bool idle)
{
	if (idle) {
		ipoib_peer_kill(peer);
	} else {
		ipoib_peer_refresh(peer, REFRESH_AGE);
		ipoib_peer_put(peer);
	}
}

/**
 * ipoib_peertable_refresh - paths may have changed, ask for them anew
 * @table: the table
 * @gid: only those to this port, or NULL
 * @age: leave younger ones alone, jiffies
 *
 * Old paths are used until there are new ones.
 *
 * Context: Process context, may sleep.
 */
void ipoib_peertable_refresh(struct ipoib_peertable *table,
			     const union ib_gid *gid, unsigned long age)
{
	struct rhashtable_iter iter;
	struct ipoib_peer *peer;
	unsigned int n = 0;

	rhashtable_walk_enter(&table->hash, &iter);
	rhashtable_walk_start(&iter);
	while ((peer = rhashtable_walk_next(&iter))) {
		/* The hash is being resized: peers may be seen twice. */
		if (IS_ERR(peer))
			continue;

		if (!gid || !memcmp(peer->addr.gid, gid->raw, sizeof(*gid)))
			ipoib_peer_refresh(peer, age);
		if (++n % WALK_BATCH == 0) {
			rhashtable_walk_stop(&iter);
			cond_resched();
			rhashtable_walk_start(&iter);
		}
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
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
	queue_delayed_work(table->fabric->wq, &table->gc, GC_PERIOD);
}

/**
 * ipoib_peertable_walk - look at every peer
 * @table: the table
 * @fn: called for each under RCU, with the peer's lock held
 * @ctx: given to @fn
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
		/* The hash is being resized: peers may be seen twice. */
		if (IS_ERR(peer))
			continue;

		spin_lock_bh(&peer->lock);
		fn(ctx, peer);
		spin_unlock_bh(&peer->lock);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}
